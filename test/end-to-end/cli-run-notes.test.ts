// What `sotto run` remembers of past sessions: written at the end of one, told at the start of the next.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  finished,
  runSotto,
  sottoHere,
  startSotto,
  temporaryDirectory,
} from "../../packages/cli/test/run-sotto.ts";
import { type ModelServer, type Script, startModelServer } from "../support/servers/model-server.ts";

let cwd: string;
let state: string;
let server: ModelServer;
beforeEach(() => {
  cwd = temporaryDirectory();
  state = temporaryDirectory();
});
afterEach(() => server.close());

const serve = async (script: Script) => {
  server = await startModelServer({ provider: "anthropic", script });
};
const environment = () => ({
  HOME: state,
  XDG_STATE_HOME: state,
  DEPLOY_TOKEN: "canary-token-4711",
  ANTHROPIC_API_KEY: "k",
  ANTHROPIC_BASE_URL: server.url,
});
const sotto = (args: string[], input = "") => sottoHere(args, { cwd, env: environment(), input });
const run = (...args: string[]) => sotto(["run", ...args]);
const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });
const body = (index: number) => JSON.stringify(server.requests.at(index)?.body);
const root = () => join(state, "sotto/session-memory");
const notes = () => {
  if (!existsSync(root())) return [];
  return readdirSync(root()).flatMap((project) =>
    readdirSync(join(root(), project)).map((name) => join(root(), project, name)),
  );
};
const all = ["--permission-mode", "all"];

test("AC-44 a session tells the next one in the project what it did, and no other", async () => {
  await serve([
    call("Write", { file_path: "src/parser.ts", content: "export {};\n" }),
    call("Write", { file_path: ".env", content: "A=1\n" }),
    call("Write", { file_path: "hidden/plan.txt", content: "x\n" }),
    call("TodoWrite", { todos: [{ content: "Release it", status: "pending", activeForm: "Releasing it" }] }),
    { text: "The parser is there. The token is canary-token-4711." },
    // Told with the first call, or on a slow machine with the next.
    call("Glob", { pattern: "*" }),
    { text: "Yes." },
    { text: "Yes." },
  ]);
  const { stdout } = await run(
    "-p",
    "Write the parser, password: hunter2",
    "--output-format",
    "json",
    "--deny",
    "hidden",
    ...all,
  );
  const { sessionId } = JSON.parse(stdout);
  const [path = ""] = notes();
  expect(notes()).toHaveLength(1);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8").replace(/^# [\d-]+/u, "# DAY")).toBe(
    [
      "# DAY: Write the parser, password: [hidden]",
      "",
      "Asked:",
      "- Write the parser, password: [hidden]",
      "",
      "Answered last:",
      "The parser is there. The token is [DEPLOY_TOKEN].",
      "",
      "Todo list:",
      "- [pending] Release it",
      "",
      "Files written:",
      "- src/parser.ts",
      "",
    ].join("\n"),
  );
  const logged = await sotto(["log", sessionId, "--type", "session_ended", "--json"]);
  expect(JSON.parse(logged.stdout).event).toEqual({
    type: "session_ended",
    summary: readFileSync(path, "utf8"),
  });
  await run("-p", "And now?", "--no-notes");
  expect(body(-1)).toContain("The parser is there.");
  expect(body(-1)).toContain(path);
  expect(body(-1)).not.toContain("canary");
  expect(notes()).toEqual([path]);
  cwd = temporaryDirectory();
  await run("-p", "And here?");
  expect(body(-1)).not.toContain("The parser is there.");
  await sotto(["store", "purge", sessionId, "--yes"]);
  expect(notes()).not.toContain(path);
});

test("one that goes on writes its notes anew; nothing done, nothing kept, or wanted: nothing is written", async () => {
  await serve((_, index) => (index === 3 ? { status: 401, error: "bad key" } : { text: `answer ${index}` }));
  await run("-p", "one", "--no-notes");
  await run("-p", "one", "--store", "memory:");
  expect(notes()).toEqual([]);
  await run("-p", "first thing");
  expect((await run("-p", "fails")).code).toBe(1);
  expect(notes()).toHaveLength(1);
  const [path = ""] = notes();
  await run("-p", "second thing", "--resume", path.slice(path.lastIndexOf("/") + 1, -3));
  expect(notes()).toEqual([path]);
  const text = readFileSync(path, "utf8");
  expect(text).toContain("- first thing\n- second thing\n");
  expect(text).toContain("answer 4");
});

test("the end of input ends it as it should; a kill leaves nothing behind", async () => {
  await serve((_, index) => (index === 1 ? { text: "Late.", delayMs: 60_000 } : { text: "Fine." }));
  const typed = { cwd, env: environment(), input: "typed at the prompt\n" };
  expect((await runSotto(["run"], typed)).code).toBe(0);
  expect(notes().map((path) => readFileSync(path, "utf8"))).toEqual([
    expect.stringContaining("- typed at the prompt\n"),
  ]);
  const child = startSotto(["run", "-p", "killed"], { cwd, env: environment() });
  child.stdin.end();
  const ended = finished(child);
  while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill("SIGKILL");
  await ended;
  expect(notes()).toHaveLength(1);
});

test("a summary stands for what was said before it, and is nothing the user asked", async () => {
  await serve((body) => ({
    text: JSON.stringify(body).includes("You summarise") ? "canary of the summariser" : "Fine.",
  }));
  await sotto(["run"], "first thing\n/compact\n");
  expect(readFileSync(notes()[0] ?? "", "utf8")).toContain("- first thing\n");
  await run("-p", "second thing", "--resume");
  const text = readFileSync(notes()[0] ?? "", "utf8");
  expect(text).toContain("Asked:\n- second thing\n");
  expect(text).not.toContain("canary");
});
