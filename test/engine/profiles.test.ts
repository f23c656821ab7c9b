// Agents that somebody else wrote: what their tools did is seen in their requests, what they say themselves is left to them.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicMessages, createMemoryStore, createSession, profiles, type SessionOptions } from "sotto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "sotto-profiles-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const open = (more: Partial<SessionOptions> = {}) =>
  createSession({
    cwd,
    home: cwd,
    agent: { kind: "main" },
    profile: profiles.pi,
    configFiles: { read: false },
    ...more,
    config: { timeout_ms: 60_000, ...more.config },
  });

let calls = 0;
function toolTurn(name: string, input: object, failed = false): object[] {
  calls += 1;
  const id = `call-${calls}`;
  const result = { type: "tool_result", tool_use_id: id, content: "done", is_error: failed };
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    { role: "user", content: [result] },
  ];
}

const prompt = { role: "user", content: "hello" };
const say = (text: string) => ({ role: "assistant", content: text });
const textOf = (body: unknown) => JSON.stringify(body);

describe("what its tools did", () => {
  test("a file it has read is watched, one it writes is its own doing", async () => {
    const file = join(cwd, "a.txt");
    await writeFile(file, "one\n");
    const session = open();
    const messages: object[] = [prompt, ...toolTurn("read", { path: "a.txt" })];
    const turn = (more: object[]) => {
      messages.push(...more);
      return session.turn({
        dialect: anthropicMessages,
        body: { messages: structuredClone(messages) as never },
      });
    };
    await turn([]);
    expect((await session.state()).hasSeen("a.txt")).toBe(true);

    await writeFile(file, "two\n");
    const changed = await turn([say("ok"), prompt]);
    expect(changed.reminders.map(({ type }) => type)).toEqual(["edited_text_file"]);

    await writeFile(file, "three\n");
    const own = await turn([...toolTurn("edit", { path: "a.txt" })]);
    expect(own.reminders).toEqual([]);

    await writeFile(file, "four\n");
    const other = await turn([...toolTurn("edit", { path: "a.txt" }, true)]);
    expect(other.reminders.map(({ type }) => type)).toEqual(["edited_text_file"]);
    await session.close();
  });

  test("a change while no process ran is found, though the history shows the read again", async () => {
    const file = join(cwd, "a.txt");
    await writeFile(file, "one\n");
    const store = createMemoryStore();
    const messages = [prompt, ...toolTurn("read", { path: "a.txt" })];
    const first = open({ id: "s", store });
    await first.turn({ dialect: anthropicMessages, body: { messages: messages as never } });
    await first.close();

    await writeFile(file, "two\n");
    const second = open({ id: "s", store });
    const body = { messages: structuredClone([...messages, say("ok"), prompt]) as never };
    const turn = await second.turn({ dialect: anthropicMessages, body });
    expect(turn.reminders.map(({ type }) => type)).toEqual(["edited_text_file"]);
    await second.close();
  });

  test("todo lists and modes", async () => {
    const session = open({ profile: profiles["claude-code"] });
    const todos = { todos: [{ content: "test it", status: "pending", activeForm: "testing" }] };
    const messages = [prompt, ...toolTurn("TodoWrite", todos), ...toolTurn("EnterPlanMode", {})];
    await session.turn({ dialect: anthropicMessages, body: { messages: messages as never } });
    expect((await session.state()).todos).toEqual([
      { content: "test it", status: "pending", activeForm: "testing" },
    ]);
    expect((await session.state()).mode).toBe("plan");
    await session.close();
  });
});

describe("what it says itself", () => {
  const planning = [prompt, ...toolTurn("EnterPlanMode", {})];

  test("is off, and the trace says who does it", async () => {
    const session = open({ profile: profiles["claude-code"] });
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages: planning as never } });
    expect(turn.reminders).toEqual([]);
    expect(turn.trace.find(({ type }) => type === "plan_mode")).toMatchObject({
      outcome: "off",
      reason: "switched off: Claude Code sends plan mode reminders (attachments.plan_mode)",
    });
    await session.close();
  });

  test("is on where config says so, and speaks with that agent's names", async () => {
    const config = { attachments: { plan_mode: true } };
    const session = open({ profile: profiles["claude-code"], config });
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages: planning as never } });
    expect(turn.reminders.map(({ type }) => type)).toEqual(["plan_mode"]);
    expect(textOf(turn.body)).toContain("ExitPlanMode");
    await session.close();
  });

  test("a tool it does not have is not named", async () => {
    const session = open({ profile: profiles.pi });
    await session.record({ type: "mode_changed", mode: "plan" });
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages: [prompt] as never } });
    expect(turn.reminders.map(({ type }) => type)).toEqual(["plan_mode"]);
    expect(textOf(turn.body)).not.toContain("ExitPlanMode");
    await session.close();
  });
});
