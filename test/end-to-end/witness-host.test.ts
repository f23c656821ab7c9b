// What a person sets up for `sotto run`: a checker, a text that is always at hand, an agent elsewhere.

import { chmodSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { type Answer, type ModelServer, startModelServer } from "../support/servers/model-server.ts";
import { witness } from "../support/witness.ts";

let cwd: string;
let home: string;
let server: ModelServer | undefined;
beforeEach(() => {
  cwd = realpathSync(temporaryDirectory());
  home = temporaryDirectory();
});
afterEach(() => server?.close());

const call = (name: string, input: object): Answer => ({ toolCalls: [{ name, input }] });
const requests = () => (server?.requests ?? []).map(({ body }) => body);
const heard = (pattern: RegExp) => requests().filter((body) => pattern.test(JSON.stringify(body))).length;

/** Works off the steps, then waits for what is to come, step by step, and ends. */
async function play(
  steps: readonly Answer[],
  until: RegExp,
  args: readonly string[],
  config = "",
): Promise<void> {
  let count = 0;
  server = await startModelServer({
    provider: "anthropic",
    script(body) {
      const step = steps[count++];
      if (step !== undefined) return step;
      if (until.test(JSON.stringify(body)) || count > 60) return { text: "Done." };
      return call("Bash", { command: "sleep 0.3", description: `Wait ${count}` });
    },
  });
  if (config !== "") writeFileSync(join(cwd, "sotto.toml"), config);
  const all = ["run", "-p", "Go on.", "--no-ide", "--no-notes", "--permission-mode", "all", ...args];
  const { code, stderr } = await sottoHere(all, {
    cwd,
    env: { HOME: home, XDG_STATE_HOME: home, ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url },
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(server.violations).toEqual([]);
}

function program(name: string, text: string): string {
  writeFileSync(join(cwd, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(cwd, name), 0o755);
  return `./${name}`;
}

const NEW = /new-diagnostics/u;
/** Finds the word "bad" in what is written by the agent, and one thing that was wrong before. */
const CHECK =
  "grep -n bad a.txt | sed 's/^\\([0-9]*\\):/a.txt:\\1:1: error: /'; echo 'old.txt:1:1: error: old'; exit 1";
const write = call("Write", { file_path: "a.txt", content: "fine\nbad\n" });

test("AC-44 diagnostics: a checker that the user names tells what is new, once, and nothing that was wrong before", async () => {
  writeFileSync(join(cwd, "old.txt"), "old\n");
  writeFileSync(join(cwd, "a.txt"), "");
  const wait = call("Bash", { command: "sleep 1", description: "Let it look first" });
  await play([wait, call("Read", { file_path: "a.txt" }), write], NEW, [
    "--check",
    program("check.sh", CHECK),
  ]);
  const told = { source: "--check", process: "the user's checker" };
  witness("diagnostics", told, { requests: requests(), pattern: /File: .*a\.txt\nLine 2: \[error\] bad/u });
  expect(heard(/old\.txt/u)).toBe(0);
  expect(JSON.stringify(requests().at(-1)).split("<new-diagnostics>")).toHaveLength(2);
});

test("AC-44 without a checker there is nothing to tell", async () => {
  await play([write, call("Bash", { command: "sleep 0.5", description: "Wait" })], /./u, []);
  expect(heard(NEW)).toBe(0);
});

test("AC-44 ultramemory: a file that is always at hand is told, and again when it changes", async () => {
  const path = join(cwd, "always.md");
  writeFileSync(path, "Answer in haiku.\n");
  const change = call("Bash", { command: `echo 'Answer in sonnets.' > ${path}`, description: "Change it" });
  await play([call("Bash", { command: "true", description: "Nothing" }), change], /sonnets\.[^']/u, [
    "--memory-file",
    path,
  ]);
  const told = { source: "--memory-file", process: "sotto run" };
  witness("ultramemory", told, { requests: requests(), pattern: /Answer in haiku\./u });
  expect(heard(/<system-reminder>\\nAnswer in sonnets\./u)).toBeGreaterThan(0);
});

test("AC-44 background_remote_session_status: an agent elsewhere is told of when it ends", async () => {
  const remote = program("far.sh", 'read prompt; sleep 0.5; echo "far away: $prompt"');
  const start = call("RemoteSession", { title: "Look there", prompt: "What is new?" });
  const config = '[system_reminder]\ntasks = { style = "classic" }\n';
  await play([start], /Status:completed|Status: completed/u, ["--remote", remote], config);
  const told = { source: "RemoteSession", process: "the user's command" };
  witness("background_remote_session_status", told, {
    requests: requests(),
    pattern: /<background-remote-session-status>[\s\S]*Look there[\s\S]*far away: What is new\?/u,
  });
});
