// Command hooks as `sotto run` has them: real scripts in a temporary project, seen in what the model is sent.

import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createMemoryStore } from "sotto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentEvent, PermitRequest } from "../../packages/agent/src/agent-events.ts";
import { createDenyAsker } from "../../packages/agent/src/face/askers.ts";
import { openRun } from "../../packages/agent/src/open-run.ts";
import type { RunOptions } from "../../packages/agent/src/options.ts";
import { createPermissions } from "../../packages/agent/src/tools/permissions.ts";
import { finished, sottoHere, startSotto, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { setEnvironment } from "../support/environment.ts";
import { isRunning } from "../support/processes.ts";
import { type ModelServer, type Script, startModelServer } from "../support/servers/model-server.ts";

let cwd: string;
let home: string;
let server: ModelServer | undefined;
beforeEach(() => {
  cwd = realpathSync(temporaryDirectory());
  home = realpathSync(temporaryDirectory());
  server = undefined;
});
afterEach(() => server?.close());

async function serve(script: Script): Promise<void> {
  server = await startModelServer({ provider: "anthropic", script });
}

const environment = () => ({
  HOME: home,
  XDG_STATE_HOME: home,
  ANTHROPIC_API_KEY: "canary-key-of-the-model-1",
  ANTHROPIC_BASE_URL: server?.url ?? "",
});
const run = (...args: string[]) => sottoHere(["run", "-p", ...args], { cwd, env: environment() });
const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });
const bodies = () => (server?.requests ?? []).map(({ body }) => JSON.stringify(body));

function write(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** A script of the project, and the command that runs it. */
function script(name: string, text: string): string {
  const path = write(join(cwd, "hooks", name), `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return `"$CLAUDE_PROJECT_DIR"/hooks/${name}`;
}

const handler = (command: string, more: object = {}) => ({ hooks: [{ type: "command", command, ...more }] });
/** The user's own hooks, which need no trust. */
const own = (hooks: object) => write(join(home, ".config/sotto/hooks.json"), JSON.stringify({ hooks }));
const json = (value: unknown) => `cat <<'END'\n${JSON.stringify(value)}\nEND`;
const specific = (hookEventName: string, more: object) =>
  json({ hookSpecificOutput: { hookEventName, ...more } });

/** In this process, with a person who says no. */
async function open(more: Partial<RunOptions> = {}) {
  const asked: PermitRequest[] = [];
  const events: AgentEvent[] = [];
  setEnvironment({ ANTHROPIC_API_KEY: "k", HOME: home });
  const opened = await openRun({
    cwd,
    model: "anthropic/claude-test",
    baseUrl: server?.url,
    usualScenario: "",
    store: createMemoryStore(),
    permissions: createPermissions("all"),
    extraDirectories: [],
    denyRead: [],
    listen: (event) => events.push(event),
    asker: {
      ...createDenyAsker(),
      async permit(request) {
        asked.push(request);
        return "no";
      },
    },
    ...more,
  });
  return { opened, asked, events };
}

describe("AC-44 what hooks answer is in the request", () => {
  test("at the start, with a prompt, before and after tools", async () => {
    own({
      SessionStart: [
        { matcher: "startup", ...handler(script("start.sh", "echo 'The database is seeded.'")) },
      ],
      UserPromptSubmit: [
        handler(script("prompt.sh", specific("UserPromptSubmit", { additionalContext: "Branch: main." }))),
      ],
      PreToolUse: [{ matcher: "Bash", ...handler(script("pre.sh", "echo 'No lists today.' >&2; exit 2")) }],
      PostToolUse: [
        {
          matcher: "Read|Grep",
          ...handler(script("post.sh", specific("PostToolUse", { additionalContext: "Read it twice." }))),
        },
      ],
      PostToolUseFailure: [
        handler(script("failure.sh", json({ decision: "block", reason: "Look for it first." }))),
      ],
    });
    write(join(cwd, "a.txt"), "alpha\n");
    await serve([
      call("Bash", { command: "ls" }),
      call("Read", { file_path: "a.txt" }),
      call("Read", { file_path: "nowhere.txt" }),
      { text: "Done." },
    ]);
    const { stdout, code } = await run("go");
    expect({ stdout, code }).toEqual({ stdout: "Done.\n", code: 0 });
    expect(server?.violations).toEqual([]);
    const [first, second, third, fourth] = bodies();
    expect(first).toContain("SessionStart:startup hook success: The database is seeded.");
    expect(first).toContain("UserPromptSubmit hook additional context: Branch: main.");
    expect(second).toContain("A PreToolUse:Bash hook refused this: No lists today.");
    expect(second).toMatch(
      /PreToolUse:Bash hook blocking error from command: .*pre\.sh\\": No lists today\./u,
    );
    expect(third).toContain("PostToolUse:Read hook additional context: Read it twice.");
    expect(fourth).toMatch(
      /PostToolUseFailure:Read hook blocking error from command: .*: Look for it first\./u,
    );
  });

  test("an async hook answers with a later call; one that is killed never does", async () => {
    const answer = specific("PostToolUse", { additionalContext: "Types: 2 errors." });
    own({
      PostToolUse: [
        handler(script("check.sh", `${answer}\ntouch "$CLAUDE_PROJECT_DIR"/checked`), { async: true }),
        handler("sleep 60", { async: true }),
      ],
    });
    write(join(cwd, "a.txt"), "alpha\n");
    await serve((body, index) => {
      if (index === 0) return call("Read", { file_path: "a.txt" });
      const isOver = JSON.stringify(body).includes("Types: 2 errors.") || index > 80;
      return isOver ? { text: "Done." } : call("Bash", { command: "sleep 0.1" });
    });
    expect((await run("go", "--permission-mode", "all")).stdout).toBe("Done.\n");
    expect(bodies().at(-1)).toContain("Types: 2 errors.");
  });

  test("Stop holds up the end, is told that it did, and cannot do so for ever", async () => {
    own({
      Stop: [
        handler(script("stop.sh", `cat >> stops; ${json({ decision: "block", reason: "Run the tests." })}`)),
      ],
    });
    await serve((_, index) => ({ text: `answer ${index}` }));
    const { stdout, stderr } = await run("go");
    expect(stdout).toBe("answer 8\n");
    expect(stderr).toContain("stopped anyway");
    expect(bodies()[1]).toContain("Run the tests.");
    const stops = readFileSync(join(cwd, "stops"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(stops.map(({ stop_hook_active }) => stop_hook_active)).toEqual([false, ...Array(8).fill(true)]);
    expect(stops[1]).toMatchObject({ hook_event_name: "Stop", last_assistant_message: "answer 1", cwd });
    expect(server?.violations).toEqual([]);
  });

  test("continue: false stops the agent behind the tool, and the next prompt is told", async () => {
    own({
      PostToolUse: [
        handler(script("post.sh", json({ continue: false, stopReason: "The build is broken." }))),
      ],
    });
    write(join(cwd, "a.txt"), "alpha\n");
    const read = { name: "Read", input: { file_path: "a.txt" } };
    await serve((_, index) => (index === 0 ? { toolCalls: [read, read] } : { text: "I see." }));
    const { code, stderr } = await run("go");
    expect({ code, calls: bodies().length }).toEqual({ code: 0, calls: 1 });
    expect(stderr).toContain("a hook stopped the agent: The build is broken.");
    expect((await run("and now?", "--resume")).stdout).toBe("I see.\n");
    expect(bodies()[1]).toContain("PostToolUse:Read hook stopped continuation: The build is broken.");
    expect(bodies()[1]).toContain("Not run: a hook stopped the agent.");
    expect(server?.violations).toEqual([]);
  });

  test("sub-agents: their tools run hooks, and they hear the answers; SubagentStop sends them on once", async () => {
    own({
      SubagentStart: [
        { matcher: "Explore", ...handler(specific("SubagentStart", { additionalContext: "Start in src." })) },
      ],
      PostToolUse: [
        {
          matcher: "Glob",
          ...handler(
            script(
              "glob.sh",
              `cat > glob.json; ${specific("PostToolUse", { additionalContext: "Also in lib." })}`,
            ),
          ),
        },
      ],
      SubagentStop: [
        handler(script("stop.sh", `[ -e once ] && exit 0; touch once; echo 'Name the lines.' >&2; exit 2`)),
      ],
    });
    let explored = 0;
    await serve((body) => {
      if (!JSON.stringify(body.system).includes("Explore sub-agent"))
        return JSON.stringify(body).includes("found it")
          ? { text: "Done." }
          : call("Task", { subagent_type: "Explore", description: "Look", prompt: "Look." });
      explored += 1;
      return explored === 1
        ? call("Glob", { pattern: "*" })
        : { text: explored === 2 ? "there" : "found it, line 3" };
    });
    expect((await run("go")).stdout).toBe("Done.\n");
    const of = (who: string) =>
      (server?.requests ?? [])
        .map(({ body }) => body as { system: unknown })
        .filter(({ system }) => JSON.stringify(system).includes(who))
        .map((body) => JSON.stringify(body));
    const [first, second, third] = of("Explore sub-agent");
    expect(first).toContain("SubagentStart:Explore hook additional context: Start in src.");
    expect(second).toContain("PostToolUse:Glob hook additional context: Also in lib.");
    expect(third).toContain("Name the lines.");
    expect(bodies().at(-1)).not.toContain("Also in lib.");
    expect(JSON.parse(readFileSync(join(cwd, "glob.json"), "utf8"))).toMatchObject({
      agent_type: "Explore",
      agent_id: expect.stringContaining("/Explore-"),
    });
  });
});

test("AC-44 what is not for the model is noted", async () => {
  const quiet = [
    { type: "command", command: script("slow.sh", "sleep 60"), timeout: 0.3 },
    { type: "command", command: "/no/such/program", args: [] },
    { type: "command", command: script("broken.sh", "echo oops >&2; exit 1") },
    { type: "command", command: script("words.sh", json({ systemMessage: "Formatted." })) },
  ];
  const allow = handler(specific("PreToolUse", { permissionDecision: "allow" }));
  const hooks = { PreToolUse: [allow], PostToolUse: [{ hooks: quiet }] };
  write(join(cwd, ".sotto/hooks.json"), JSON.stringify({ hooks }));
  write(join(cwd, "a.txt"), "alpha\n");
  await serve([call("Read", { file_path: "a.txt" }), { text: "Done." }]);
  const { opened } = await open({ isTrusted: async () => true });
  await opened.agent.run("go", new AbortController().signal);
  const types = opened.agent.lastTurn?.attachments.map(({ type }) => type) ?? [];
  await opened.close();
  expect(types.filter((type) => type.startsWith("hook_")).sort()).toEqual([
    "hook_cancelled",
    "hook_error_during_execution",
    "hook_non_blocking_error",
    "hook_permission_decision",
    "hook_system_message",
  ]);
  expect(bodies()[1]).not.toContain("Formatted.");
});

describe("what hooks decide", () => {
  test("a prompt that is held up is not sent, its reason is for the user alone", async () => {
    own({
      UserPromptSubmit: [
        handler(
          script("guard.sh", "grep -q secret && { echo 'It has a canary in it.' >&2; exit 2; }; exit 0"),
        ),
      ],
    });
    await serve([{ text: "Fine." }]);
    const refused = await run("my secret");
    expect({ code: refused.code, calls: bodies().length }).toEqual({ code: 1, calls: 0 });
    expect(refused.stderr).toContain("a hook refused the prompt: It has a canary in it.");
    expect((await run("hello", "--resume")).stdout).toBe("Fine.\n");
    expect(bodies()[0]).not.toContain("canary in it");
    expect(bodies()[0]).not.toContain("my secret");
  });

  test("allow needs no question, updatedInput is what is run, and is checked", async () => {
    own({
      PreToolUse: [
        {
          matcher: "Bash",
          ...handler(
            specific("PreToolUse", {
              permissionDecision: "allow",
              updatedInput: { command: "echo changed > out.txt" },
            }),
          ),
        },
        {
          matcher: "Write",
          ...handler(specific("PreToolUse", { permissionDecision: "allow", updatedInput: { nonsense: 1 } })),
        },
      ],
    });
    await serve([
      call("Bash", { command: "echo asked > out.txt" }),
      call("Write", { file_path: "b.txt", content: "b" }),
      { text: "Done." },
    ]);
    expect((await run("go")).stdout).toBe("Done.\n");
    expect(readFileSync(join(cwd, "out.txt"), "utf8")).toBe("changed\n");
    expect(existsSync(join(cwd, "b.txt"))).toBe(false);
    expect(bodies()[2]).toContain("A hook changed the input: invalid input for Write");
  });

  test("deny refuses whatever is allowed", async () => {
    own({
      PreToolUse: [
        {
          matcher: "Bash",
          ...handler(
            specific("PreToolUse", {
              permissionDecision: "deny",
              permissionDecisionReason: "Not on Fridays.",
            }),
          ),
        },
        { matcher: "Write", ...handler(specific("PreToolUse", { permissionDecision: "allow" })) },
      ],
    });
    await serve([call("Bash", { command: "touch x" }), { text: "Done." }]);
    expect((await run("go", "--permission-mode", "all")).stdout).toBe("Done.\n");
    expect(bodies()[1]).toContain("A PreToolUse:Bash hook refused this: Not on Fridays.");
    expect(existsSync(join(cwd, "x"))).toBe(false);
  });

  test("Ctrl-C ends hooks that run", async () => {
    own({
      PreToolUse: [handler(script("slow.sh", "echo $$ > pid; while true; do sleep 0.1; done"))],
      SessionEnd: [handler("cat > ended.json")],
    });
    await serve([call("Bash", { command: "ls" }), { text: "Never." }]);
    const child = startSotto(["run", "-p", "go"], { cwd, env: environment() });
    child.stdin.end();
    const ended = finished(child);
    await expect
      .poll(() => existsSync(join(cwd, "pid")) && readFileSync(join(cwd, "pid"), "utf8").trim() !== "")
      .toBe(true);
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
    expect(isRunning(pid)).toBe(false);
    expect(JSON.parse(readFileSync(join(cwd, "ended.json"), "utf8"))).toMatchObject({
      hook_event_name: "SessionEnd",
      reason: "other",
    });
  });

  test("AC-48 the environment of hooks is not in requests, nor in the log", async () => {
    own({ SessionStart: [handler("env")], PostToolUse: [handler("env >&2; exit 1")] });
    write(join(cwd, "a.txt"), "alpha\n");
    await serve([call("Read", { file_path: "a.txt" }), { text: "Done." }]);
    await run("go");
    expect(bodies()[0]).toContain("ANTHROPIC_API_KEY=[ANTHROPIC_API_KEY]");
    const { stdout } = await sottoHere(["log", "--json"], { cwd, env: environment() });
    expect(stdout).toContain("hook_finished");
    expect(`${bodies().join("")}${stdout}`).not.toContain("canary");
    expect(readFileSync(join(home, "sotto/sotto.db"), "latin1")).not.toContain("canary");
  });
});

describe("whose hooks run", () => {
  const settings = (command: string) => JSON.stringify({ hooks: { SessionStart: [handler(command)] } });

  test("AC-50 those of an untrusted project do not, and it is said", async () => {
    write(join(cwd, ".claude/settings.json"), settings("touch ran-settings; echo hijacked"));
    write(join(cwd, ".claude/settings.local.json"), settings("touch ran-local; echo hijacked"));
    write(join(cwd, ".sotto/hooks.json"), settings("touch ran-hooks; echo hijacked"));
    await serve([{ text: "Done." }]);
    const { stdout, stderr } = await run("go");
    expect(stdout).toBe("Done.\n");
    for (const name of ["ran-settings", "ran-local", "ran-hooks"])
      expect(existsSync(join(cwd, name))).toBe(false);
    expect(bodies()[0]).not.toContain("hijacked");
    expect(stderr.match(/its hooks run only once the file is trusted/gu)).toHaveLength(3);
  });

  test("those of a trusted file do; a hook that asks is asked about, Notification hears of it", async () => {
    const path = write(
      join(cwd, ".claude/settings.json"),
      JSON.stringify({
        hooks: {
          PreToolUse: [
            {
              matcher: "Read",
              ...handler(
                specific("PreToolUse", {
                  permissionDecision: "ask",
                  permissionDecisionReason: "It is a diary.",
                }),
              ),
            },
          ],
          Notification: [handler("cat > notification.json")],
          PreCompact: [handler("echo 'Not now.' >&2; exit 2")],
          Stop: [handler(json({ systemMessage: "Well done." }))],
        },
      }),
    );
    write(join(cwd, "diary.txt"), "dear diary\n");
    await serve([call("Read", { file_path: "diary.txt" }), { text: "Done." }]);
    const { opened, asked, events } = await open({ isTrusted: async (asking) => asking === path });
    await opened.agent.run("go", new AbortController().signal);
    await opened.agent.compact(new AbortController().signal);
    // Nobody waits for this one: it may still be at work.
    const notified = join(cwd, "notification.json");
    await expect.poll(() => (existsSync(notified) ? readFileSync(notified, "utf8") : "")).toMatch(/\}\s*$/u);
    await opened.close();
    expect(asked).toEqual([{ toolName: "Read", title: expect.any(String), detail: "It is a diary." }]);
    expect(bodies()[1]).not.toContain("dear diary");
    expect(JSON.parse(readFileSync(notified, "utf8"))).toMatchObject({
      notification_type: "permission_prompt",
    });
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    expect(notices).toEqual(["Well done.", "a hook refused the summary: Not now."]);
  });
});
