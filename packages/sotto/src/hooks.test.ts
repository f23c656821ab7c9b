// Command hooks with real shells in a real directory, recorded into a real session.

import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, type Session } from "sotto";
import type { Entry } from "sotto/extend";
import { createHooks, type HookEvent, type HookHandler, type Hooks, type HooksOptions } from "sotto/hooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isRunning } from "../../../test/support/processes.ts";
import { openSession } from "../../../test/support/telling.ts";

let cwd: string;
let session: Session;
let store: ReturnType<typeof createMemoryStore>;
const open: Hooks[] = [];

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-hooks-")));
  store = createMemoryStore();
  session = openSession({ id: "s", cwd, home: cwd, store });
});
afterEach(async () => {
  for (const hooks of open.splice(0)) await hooks.close();
  await session.close();
  rmSync(cwd, { recursive: true, force: true });
});

const PATH = process.env.PATH;

function withHooks(hooks: HooksOptions["hooks"], more: Partial<HooksOptions> = {}): Hooks {
  const made = createHooks({ session, cwd, hooks, env: { PATH }, ...more });
  open.push(made);
  return made;
}

/** One command at one event. */
const at = (event: HookEvent, command: string, more: Partial<HookHandler> = {}) =>
  withHooks({ [event]: [{ hooks: [{ type: "command", command, ...more }] }] });

const json = (value: unknown) => `echo '${JSON.stringify(value)}'`;
const bash = { tool_name: "Bash", tool_input: { command: "ls" } };

async function recorded(): Promise<Record<string, unknown>[]> {
  const { entries } = await store.read("s", 0);
  return entries.flatMap((entry: Entry) => {
    if (entry.kind !== "event" || entry.event.type === "session_started") return [];
    const event: Record<string, unknown> = { ...entry.event };
    if ("processId" in event) event.processId = "…";
    return [event];
  });
}

/** What the model would be told, and what is only noted. */
async function heard(): Promise<{ said: string[]; noted: string[] }> {
  const turn = await session.turn();
  await turn.commit();
  const said = turn.reminders.map(({ text }) =>
    text.replace(/^<system-reminder>\n|\n<\/system-reminder>$/gu, ""),
  );
  const silent = new Set(turn.reminders.map(({ type }) => type));
  return { said, noted: turn.attachments.map(({ type }) => type).filter((type) => !silent.has(type)) };
}

describe("what a hook is given", () => {
  it("is JSON on its standard input, and where the project is", async () => {
    const hooks = withHooks(
      {
        PreToolUse: [
          {
            hooks: [
              {
                type: "command",
                command: 'cat > in.json; echo -n "$CLAUDE_PROJECT_DIR $SOTTO_PROJECT_DIR $EXTRA" > env',
                env: { EXTRA: "x" },
              },
            ],
          },
        ],
      },
      { common: () => ({ permission_mode: "default", transcript_path: "/t.jsonl" }) },
    );
    await hooks.run("PreToolUse", { ...bash, tool_use_id: "c1" });
    expect(JSON.parse(readFileSync(join(cwd, "in.json"), "utf8"))).toEqual({
      session_id: "s",
      cwd,
      hook_event_name: "PreToolUse",
      permission_mode: "default",
      transcript_path: "/t.jsonl",
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_use_id: "c1",
    });
    expect(readFileSync(join(cwd, "env"), "utf8")).toBe(`${cwd} ${cwd} x`);
  });

  it("with args no shell stands between, and the place of the project is filled in", async () => {
    const script = join(cwd, "hook.sh");
    writeFileSync(script, '#!/bin/sh\necho "$1" > out\n');
    chmodSync(script, 0o755);
    await at("Stop", script, { args: [`$${"{CLAUDE_PROJECT_DIR}"}/$HOME`] }).run("Stop");
    expect(readFileSync(join(cwd, "out"), "utf8")).toBe(`${cwd}/$HOME\n`);
  });

  it("a hook that does not read 5 MB of input is no failure, nor is input that is not JSON", async () => {
    const hooks = at("PostToolUse", "cat > got; true");
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const verdict = await hooks.run("PostToolUse", { tool_name: "Bash", tool_response: circular });
    expect(verdict.outcomes.map(({ outcome }) => outcome)).toEqual(["success"]);
    expect(JSON.parse(readFileSync(join(cwd, "got"), "utf8"))).toMatchObject({
      error: expect.stringContaining("circular"),
    });
    circular.again = [circular];
    await hooks.run("PostToolUse", { tool_name: "Bash", tool_response: circular });
    expect(JSON.parse(readFileSync(join(cwd, "got"), "utf8"))).toMatchObject({
      error: expect.stringContaining("it is too large, or contains itself"),
    });
    const deaf = at("PostToolUse", "exec 0<&-; true");
    const large = await deaf.run("PostToolUse", { tool_name: "Bash", tool_response: "x".repeat(5_000_000) });
    expect(large.outcomes.map(({ outcome }) => outcome)).toEqual(["success"]);
  });
});

describe("what a hook answers", () => {
  it.each([
    ["UserPromptSubmit", "echo 'Branch main.'", "UserPromptSubmit hook success: Branch main."],
    [
      "SessionStart",
      json({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "Seeded." } }),
      "SessionStart:startup hook additional context: Seeded.",
    ],
    [
      "PostToolUse",
      "echo 'no lint' >&2; exit 2",
      `PostToolUse:Bash hook blocking error from command: "echo 'no lint' >&2; exit 2": no lint`,
    ],
    [
      "PostToolUse",
      json({ decision: "block", reason: "Lint." }),
      'PostToolUse:Bash hook blocking error from command: "echo \'{"decision":"block","reason":"Lint."}\'": Lint.',
    ],
    [
      "PostToolUse",
      json({ continue: false, stopReason: "Broken." }),
      "PostToolUse:Bash hook stopped continuation: Broken.",
    ],
  ] as const)("%s: %s is told to the model", async (event, command, text) => {
    await at(event, command).run(event, { ...bash, source: "startup" });
    expect((await heard()).said).toEqual([text]);
  });

  it.each([
    ["a message for the user", "Stop", json({ systemMessage: "Formatted." }), "hook_system_message"],
    ["a failure", "PostToolUse", "echo oops >&2; exit 1", "hook_non_blocking_error"],
    ["a command that is not there", "PostToolUse", "no-such-command-here", "hook_non_blocking_error"],
    ["code 2 where nothing can be held up", "SessionStart", "exit 2", "hook_non_blocking_error"],
    ["a decision", "PreToolUse", json({ decision: "approve" }), "hook_permission_decision"],
    [
      "a prompt held up, for the user alone",
      "UserPromptSubmit",
      "echo 'a key' >&2; exit 2",
      "hook_system_message",
    ],
  ] as const)("%s is noted, and nothing is said", async (_, event, command, type) => {
    await at(event, command).run(event, bash);
    expect(await heard()).toEqual({ said: [], noted: [type] });
  });

  it("is recorded whole, JSON without its raw text", async () => {
    const answer = {
      systemMessage: "Careful.",
      suppressOutput: true,
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "Not today.",
        additionalContext: "Ask first.",
      },
    };
    const command = json(answer);
    const verdict = await at("PreToolUse", command).run("PreToolUse", bash);
    expect(verdict).toEqual({
      blocked: { hookName: "PreToolUse:Bash", reason: "Not today." },
      systemMessages: ["Careful."],
      outcomes: [
        {
          hookName: "PreToolUse:Bash",
          command,
          outcome: "success",
          systemMessage: "Careful.",
          permission: "deny",
          reason: "Not today.",
        },
      ],
    });
    const run = { hookName: "PreToolUse:Bash", hookEvent: "PreToolUse", toolName: "Bash", command };
    expect(await recorded()).toEqual([
      {
        type: "hook_finished",
        ...run,
        processId: "…",
        outcome: "success",
        async: false,
        exitCode: 0,
        startedAt: expect.any(String),
        systemMessage: "Careful.",
        additionalContext: "Ask first.",
      },
      {
        type: "noted",
        attachment: { type: "hook_permission_decision", ...run, decision: "deny", reason: "Not today." },
      },
    ]);
  });

  it("of several the strictest counts, in parallel, each command once", async () => {
    const decision = (permissionDecision: string, more = {}) => ({
      type: "command",
      command: json({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...more } }),
    });
    const meet = (mine: string, other: string) => ({
      type: "command",
      command: `touch ${mine}; for i in $(seq 200); do [ -e ${other} ] && exit 0; sleep 0.05; done; exit 1`,
    });
    const hooks = withHooks([
      {
        PreToolUse: [
          {
            matcher: "Bash",
            hooks: [decision("allow", { updatedInput: { command: "one" } }), meet("a", "b")],
          },
        ],
      },
      {
        PreToolUse: [
          {
            hooks: [
              meet("b", "a"),
              decision("ask", { updatedInput: { command: "two" } }),
              { type: "command", command: "echo ran >> count" },
              { type: "command", command: "echo ran >> count" },
            ],
          },
        ],
      },
    ]);
    const { outcomes, ...verdict } = await hooks.run("PreToolUse", bash);
    expect(verdict).toEqual({ permission: "ask", updatedInput: { command: "two" }, systemMessages: [] });
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(5).fill("success"));
    expect(readFileSync(join(cwd, "count"), "utf8")).toBe("ran\n");
  });
});

describe("answers that are rejected are reported with their reason", () => {
  it.each([
    ["half a JSON", `printf '{"decision": "blo'`, "is not valid JSON"],
    ["two JSON documents", `echo '{"continue":false}'; echo '{}'`, "is not valid JSON"],
    ["10 MB", "head -c 10485760 /dev/zero | tr '\\0' 'x'", "10485760 bytes"],
    [
      "10 MB of JSON",
      `printf '{"reason":"'; head -c 10485760 /dev/zero | tr '\\0' 'x'; printf '"}'`,
      "the limit is 1048576",
    ],
    ["binary", "printf '\\377\\376\\000\\001'", "not UTF-8 text"],
    ["zero bytes", "printf 'a\\0b'", "not UTF-8 text"],
    ["a wrong type", json({ continue: "no" }), "answer.continue: expected boolean"],
    ["an unknown decision", json({ decision: "perhaps" }), "answer.decision: expected"],
    [
      "another event",
      json({ hookSpecificOutput: { hookEventName: "Stop", additionalContext: "x" } }),
      'expected "PreToolUse", got "Stop"',
    ],
    ["no event", json({ hookSpecificOutput: { additionalContext: "x" } }), "hookEventName: missing"],
  ])("%s", async (_, command, words) => {
    const { outcomes, ...verdict } = await at("PreToolUse", command).run("PreToolUse", bash);
    expect(verdict).toEqual({ systemMessages: [] });
    expect(outcomes).toEqual([
      expect.objectContaining({ outcome: "non_blocking_error", reason: expect.stringContaining(words) }),
    ]);
    expect(await heard()).toEqual({ said: [], noted: ["hook_non_blocking_error"] });
    const [event] = await recorded();
    expect(JSON.stringify(event).length).toBeLessThan(25_000);
  });

  it("a hook that cannot be started is an error of its own", async () => {
    const { outcomes } = await at("Stop", "/no/such/program", { args: [] }).run("Stop");
    expect(outcomes).toEqual([
      {
        hookName: "Stop",
        command: "/no/such/program",
        outcome: "error_during_execution",
        reason: expect.stringContaining("ENOENT"),
      },
    ]);
    expect((await heard()).noted).toEqual(["hook_error_during_execution"]);
  });

  it("a matcher that never ends is ended, the others run", async () => {
    const hooks = withHooks({
      PreToolUse: [
        { matcher: "(a+)+$", hooks: [{ type: "command", command: "touch evil" }] },
        { matcher: "^a.*!$", hooks: [{ type: "command", command: "touch good" }] },
      ],
    });
    const { outcomes } = await hooks.run("PreToolUse", { tool_name: `${"a".repeat(60)}!` });
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["success", "error_during_execution"]);
    expect([existsSync(join(cwd, "good")), existsSync(join(cwd, "evil"))]).toEqual([true, false]);
  });

  it("AC-42 long text comes whole, in parts", async () => {
    await at("UserPromptSubmit", "head -c 200000 /dev/zero | tr '\\0' '#'").run("UserPromptSubmit");
    const said: string[] = [];
    for (let turn = 0; turn < 8; turn++) said.push(...(await heard()).said);
    expect(said.length).toBeGreaterThan(1);
    expect(said.join("").match(/#/gu)).toHaveLength(200_000);
  });
});

describe("time", () => {
  it("a hook that takes too long is ended with all it started, what it printed is dropped", async () => {
    const hooks = at("UserPromptSubmit", "echo early; (sleep 60 & echo $! > child; wait)", { timeout: 1 });
    const { outcomes } = await hooks.run("UserPromptSubmit");
    expect(outcomes).toEqual([
      expect.objectContaining({ outcome: "cancelled", reason: "it took longer than 1 s and was ended" }),
    ]);
    expect(await heard()).toEqual({ said: [], noted: ["hook_cancelled"] });
    await expect.poll(() => hooks.state()).toEqual({ hooks: 1, running: 0 });
    // On a busy machine it may be ended before it has started anything.
    const child = join(cwd, "child");
    await expect.poll(() => existsSync(child) && isRunning(readFileSync(child, "utf8"))).toBe(false);
  });

  it("a signal ends those that run, even one that ignores it", async () => {
    const ending = new AbortController();
    const hooks = at("PreToolUse", "trap '' TERM INT; touch begun; while true; do sleep 0.1; done");
    const running = hooks.run("PreToolUse", bash, { signal: ending.signal });
    await expect.poll(() => existsSync(join(cwd, "begun"))).toBe(true);
    ending.abort();
    expect((await running).outcomes).toEqual([
      expect.objectContaining({ outcome: "cancelled", reason: "it was interrupted" }),
    ]);
    const late = await hooks.run("PreToolUse", bash, { signal: ending.signal });
    expect(late.outcomes.map(({ outcome }) => outcome)).toEqual(["cancelled"]);
  });

  it("what a hook leaves running is not waited for, and ends with the session", async () => {
    const hooks = at("Stop", "sleep 60 & echo $! > child");
    expect((await hooks.run("Stop")).outcomes.map(({ outcome }) => outcome)).toEqual(["success"]);
    const child = readFileSync(join(cwd, "child"), "utf8");
    expect(isRunning(child)).toBe(true);
    await hooks.close();
    await expect.poll(() => isRunning(child)).toBe(false);
  });

  it("an async hook is not waited for, and answers in a later turn", async () => {
    const command = `while [ ! -e go ]; do sleep 0.05; done; ${json({ systemMessage: "Checked.", hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "2 errors." } })}`;
    const hooks = at("PostToolUse", command, { async: true });
    expect(await hooks.run("PostToolUse", bash)).toEqual({ systemMessages: [], outcomes: [] });
    expect((await heard()).said).toEqual([]);
    writeFileSync(join(cwd, "go"), "");
    await expect.poll(async () => (await recorded()).length).toBe(1);
    expect((await heard()).said).toEqual([
      "Automatic answer of the background hook PostToolUse:Bash; no person has said or approved anything here:\nChecked.\n\n2 errors.",
    ]);
  });

  it("a hook may go aside by its first line", async () => {
    const rest = json({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "Later." } });
    const hooks = at("PostToolUse", `echo '{"async":true}'; while [ ! -e go ]; do sleep 0.05; done; ${rest}`);
    expect(await hooks.run("PostToolUse", bash)).toEqual({ systemMessages: [], outcomes: [] });
    writeFileSync(join(cwd, "go"), "");
    await expect.poll(async () => (await recorded()).length).toBe(1);
    expect((await heard()).said).toEqual([
      "Automatic answer of the background hook PostToolUse:Bash; no person has said or approved anything here:\nLater.",
    ]);
  });

  it("close ends async hooks, and takes no more", async () => {
    const hooks = at("Stop", "touch begun; sleep 60", { async: true });
    await hooks.run("Stop");
    await expect.poll(() => existsSync(join(cwd, "begun"))).toBe(true);
    await hooks.close();
    expect((await recorded()).map(({ outcome, async, message }) => ({ outcome, async, message }))).toEqual([
      { outcome: "cancelled", async: true, message: "the session ended" },
    ]);
    rmSync(join(cwd, "begun"));
    expect((await hooks.run("Stop")).outcomes).toEqual([]);
    await expect.poll(() => hooks.state().running).toBe(0);
    // The second one says why it did not run.
    await expect
      .poll(async () => (await recorded()).map(({ outcome }) => outcome))
      .toEqual(["cancelled", "cancelled"]);
    expect(existsSync(join(cwd, "begun"))).toBe(false);
  });
});

describe("matchers", () => {
  it.each([
    ["Bash", true],
    ["Edit|Bash", true],
    ["Edit, Bash", true],
    ["", true],
    ["*", true],
    ["Ba", false],
    ["bash", false],
    ["^Ba", true],
    ["B.*", true],
    ["mcp__.*", false],
  ])("%j for Bash: %s", async (matcher, runs) => {
    const hooks = withHooks({ PreToolUse: [{ matcher, hooks: [{ type: "command", command: "true" }] }] });
    expect((await hooks.run("PreToolUse", bash)).outcomes).toHaveLength(runs ? 1 : 0);
  });

  it("are held against what an event is about, and nothing where it is about nothing", async () => {
    const one = (matcher: string) => [{ matcher, hooks: [{ type: "command", command: "true" }] }];
    const hooks = withHooks({
      SessionStart: one("resume"),
      Stop: one("whatever"),
      PreCompact: one("auto"),
      SubagentStop: one("Explore"),
    });
    const ran = async (event: HookEvent, input: object) =>
      (await hooks.run(event, { ...input })).outcomes.map(({ hookName }) => hookName);
    expect(await ran("SessionStart", { source: "startup" })).toEqual([]);
    expect(await ran("SessionStart", { source: "resume" })).toEqual(["SessionStart:resume"]);
    expect(await ran("Stop", {})).toEqual(["Stop"]);
    expect(await ran("PreCompact", { trigger: "auto" })).toEqual(["PreCompact:auto"]);
    expect(await ran("SubagentStop", { agent_type: "Plan" })).toEqual([]);
  });
});

describe("what cannot be taken", () => {
  it.each([
    [{ PreTolUse: [] }, '"PreTolUse" is not an event; did you mean "PreToolUse"?'],
    [{ Stop: {} }, "hooks.Stop: expected a list"],
    [{ Stop: [{}] }, "hooks.Stop[0].hooks: missing"],
    [{ Stop: [{ hooks: [{ type: "command" }] }] }, "hooks.Stop[0].hooks[0].command: missing"],
    [{ Stop: [{ hooks: [{ type: "command", command: " " }] }] }, "hooks.Stop[0].hooks[0].command: is empty"],
    [{ Stop: [{ hooks: [{ type: "http", url: "http://x" }] }] }, 'hooks of the type "http" are not run'],
    [
      { Stop: [{ hooks: [{ type: "command", command: "x", timeout: -1 }] }] },
      "hooks.Stop[0].hooks[0].timeout",
    ],
    [
      { PreToolUse: [{ matcher: "(", hooks: [] }] },
      "hooks.PreToolUse[0].matcher: Invalid regular expression",
    ],
    [
      { PreToolUse: [{ hooks: [{ type: "command", command: "x", if: "Bash(rm *)" }] }] },
      ".if: conditions are not known here",
    ],
  ])("%j throws", (table, words) => {
    expect(() => createHooks({ session, cwd, hooks: table as never })).toThrow(words);
  });
});

it("AC-48 secrets of the environment that a hook prints never get into the log or a request", async () => {
  const secrets = {
    API_KEY: "canary-one-4f1",
    DATABASE_URL: "postgres://me:canary-two@db/x",
    DEPLOY: "canarythree0a9b8c7d6e",
    PEM_PRIVATE: "-----BEGIN\ncanary-four-lines-of-it\n-----END",
  };
  const table = (event: HookEvent, command: string) => ({
    [event]: [{ hooks: [{ type: "command", command }] }],
  });
  const hooks = withHooks(
    [
      table("SessionStart", "env"),
      table("PostToolUse", `env >&2; exit 2`),
      table(
        "Stop",
        `node -e 'console.log(JSON.stringify({ systemMessage: process.env.DEPLOY, decision: "block", reason: Object.values(process.env).join(" ") }))'`,
      ),
      table("SubagentStop", "echo $PEM_PRIVATE >&2; exit 1"),
    ],
    { env: { PATH, ...secrets } },
  );
  await hooks.run("SessionStart", { source: "startup" });
  await hooks.run("PostToolUse", bash);
  await hooks.run("Stop");
  await hooks.run("SubagentStop");
  const { said } = await heard();
  const log = JSON.stringify(await store.read("s", 0));
  expect(said.join("\n")).toContain("API_KEY=[API_KEY]");
  expect(`${log}${said.join("\n")}`).not.toContain("canary");
});
