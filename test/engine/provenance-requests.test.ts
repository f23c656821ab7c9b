// Commands that are only in the requests: without a profile, in every dialect, whatever else the host records itself.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  aiSdk,
  anthropicMessages,
  createSqliteStore,
  gemini,
  openaiChat,
  openaiResponses,
  type Session,
  type SessionEvent,
} from "sotto";
import type { Dialect } from "sotto/extend";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

let world: FileWorld;
let session: Session;
beforeEach(() => {
  world = createFileWorld();
  world.write("a.ts", "one\n");
  session = openIn(world);
});
afterEach(async () => {
  await session.close();
  world.remove();
});

type Input = Record<string, unknown>;
interface Talk {
  dialect: Dialect;
  used(id: string, name: string, input: Input): object[];
  body(parts: object[]): object;
}
const user = { role: "user", content: "go" };
const talks: Record<string, Talk> = {
  "anthropic-messages": {
    dialect: anthropicMessages as Dialect,
    used: (id, name, input) => [
      { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
    ],
    body: (messages) => ({ messages: [user, ...messages] }),
  },
  "openai-chat": {
    dialect: openaiChat as Dialect,
    used: (id, name, input) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
      },
      { role: "tool", tool_call_id: id, content: "ok" },
    ],
    body: (messages) => ({ messages: [user, ...messages] }),
  },
  "openai-responses": {
    dialect: openaiResponses as Dialect,
    used: (id, name, input) => [
      { type: "function_call", call_id: id, name, arguments: JSON.stringify(input) },
      { type: "function_call_output", call_id: id, output: "ok" },
    ],
    body: (input) => ({ input: [user, ...input] }),
  },
  gemini: {
    dialect: gemini as Dialect,
    used: (_, name, args) => [
      { role: "model", parts: [{ functionCall: { name, args } }] },
      { role: "user", parts: [{ functionResponse: { name, response: { output: "ok" } } }] },
    ],
    body: (contents) => ({ contents: [{ role: "user", parts: [{ text: "go" }] }, ...contents] }),
  },
  "ai-sdk": {
    dialect: aiSdk as Dialect,
    used: (toolCallId, toolName, input) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: "ok" } }],
      },
    ],
    body: (messages) => ({ messages: [user, ...messages] }),
  },
};

const OUTSIDE = " outside this conversation";
const POSSIBLY = (command: string) => `, possibly by your command \`${command}\``;

/** A conversation that grows; `told`: by whom each notice of a turn says that a file was changed. */
function converse(talk: Talk) {
  const parts: object[] = [];
  let calls = 0;
  return {
    use: (name: string, input: Input) => parts.push(...talk.used(`c${++calls}`, name, input)),
    async told(of: Session = session): Promise<string[]> {
      const turn = await of.turn({ dialect: talk.dialect, body: talk.body(structuredClone(parts)) });
      expect(turn.problems).toEqual([]);
      await turn.commit();
      return turn.reminders.flatMap(({ text }) => /was modified(.*?)\. /u.exec(text)?.[1] ?? []);
    },
  };
}

let edits = 0;
function edit(): void {
  writeFileSync(world.at("a.ts"), `${readFileSync(world.at("a.ts"), "utf8")}${++edits}\n`);
}

/** The time of files has gone on. */
async function tick(): Promise<void> {
  const from = Date.now();
  do {
    await delay(5);
    writeFileSync(world.at(".tick"), "");
  } while (statSync(world.at(".tick")).ctimeMs <= from + 15);
}

test.each(Object.entries(talks))("AC-54 %s: the agent's own command is its own", async (_, talk) => {
  const { use, told } = converse(talk);
  use("read_file", { path: "a.ts" });
  expect(await told()).toEqual([]);
  edit();
  use("bash", { command: "npm run format" });
  expect(await told()).toEqual([POSSIBLY("npm run format")]);
  await tick();
  edit();
  expect(await told()).toEqual([OUTSIDE]);
});

describe("AC-54 a host that records some things itself, and no commands", () => {
  const talk = talks["anthropic-messages"] as Talk;
  const finished = (callId: string): SessionEvent => ({
    type: "tool_finished",
    toolName: "bash",
    callId,
    success: true,
    durationMs: 1,
  });

  test.each<[string, (id: string) => SessionEvent]>([
    ["its reads", () => ({ type: "file_read", path: "b.ts" })],
    ["its writes", () => ({ type: "file_written", path: "b.ts", content: "b\n" })],
    ["its todos", () => ({ type: "todos_written", items: [] })],
    ["the end of every tool", finished],
  ])("%s: the commands come from its requests, each once", async (_, event) => {
    world.write("b.ts", "b\n");
    const { use, told } = converse(talk);
    await session.record({ type: "file_read", path: "a.ts" });
    await told();
    edit();
    use("bash", { command: "make" });
    await session.record(event("c1"));
    expect(await told()).toEqual([POSSIBLY("make")]);
    await tick();
    edit();
    expect(await told()).toEqual([OUTSIDE]);
  });

  test("a read that only a request shows stays its own affair", async () => {
    world.write("b.ts", "b\n");
    const { use, told } = converse(talk);
    await session.record({ type: "file_read", path: "a.ts" });
    use("read_file", { path: "b.ts" });
    await told();
    world.write("b.ts", "c\n");
    expect(await told()).toEqual([]);
  });

  test("a command that it records as a task is that task alone", async () => {
    const { use, told } = converse(talk);
    await session.record({ type: "file_read", path: "a.ts" });
    await tick();
    const task = { taskId: "b1", taskType: "shell", description: "d", command: "make" } as const;
    await session.record({ type: "task_started", ...task });
    await tick();
    edit();
    await tick();
    await session.record({ type: "task_finished", taskId: "b1", status: "completed" });
    use("bash", { command: "make", run_in_background: true });
    expect(await told()).toEqual([" by your background task b1 (`make`)"]);
    await tick();
    edit();
    use("bash", { command: "make" });
    expect(await told()).toEqual([POSSIBLY("make")]);
  });

  test("in another process a command is not new again", async () => {
    const store = () => createSqliteStore({ path: join(world.root, ".log.db") });
    const { use, told } = converse(talk);
    const first = openIn(world, { id: "s", store: store() });
    await first.record({ type: "file_read", path: "a.ts" });
    use("bash", { command: "make" });
    await told(first);
    await first.close();
    await tick();
    edit();
    const next = openIn(world, { id: "s", store: store() });
    expect(await told(next)).toEqual([OUTSIDE]);
    await next.close();
  });
});

describe("AC-54 a host that records its commands", () => {
  test.each([true, false])("they count as it says, once (other things, too: %s)", async (isMore) => {
    const { use, told } = converse(talks["anthropic-messages"] as Talk);
    if (isMore) await session.record({ type: "file_read", path: "a.ts" });
    else use("read_file", { path: "a.ts" });
    await told();
    const ran = async (more: object) =>
      session.record({ type: "command_ran", id: "own", command: "make", ...more });
    await tick();
    await ran({ startedAt: new Date().toISOString() });
    edit();
    await tick();
    await ran({ endedAt: new Date().toISOString() });
    use("bash", { command: "make" });
    expect(await told()).toEqual([" by your command `make`"]);
    await tick();
    edit();
    use("bash", { command: "make" });
    expect(await told()).toEqual([OUTSIDE]);
  });

  test("what a sub-agent, a hook or another tool did says nothing about that", async () => {
    const { use, told } = converse(talks["anthropic-messages"] as Talk);
    use("read_file", { path: "a.ts" });
    await told();
    const child = session.subagent({ agentType: "Plan" });
    await child.turn();
    await child.record({ type: "command_ran", id: "x", command: "ls > y" });
    await child.record({ type: "file_written", path: "z.ts", content: "z\n" });
    await session.record({ type: "command_ran", id: "h", command: "lint", kind: "hook" });
    await tick();
    edit();
    use("bash", { command: "make" });
    expect(await told()).toEqual([POSSIBLY("make")]);
    use("write_file", { path: "a.ts", content: "mine\n" });
    world.write("a.ts", "mine\n");
    expect(await told()).toEqual([]);
  });
});
