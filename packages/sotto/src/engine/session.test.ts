import { describe, expect, it } from "vitest";
import { createSession } from "../create-session.ts";
import { anthropicMessages } from "../dialects/anthropic-messages.ts";
import { createMemoryStore } from "../stores/memory.ts";

const message = {
  type: "message_received",
  id: "m1",
  from: "ada",
  text: "Parser done.",
  timestamp: "2026-11-15T10:00:00Z",
} as const;

describe("a session", () => {
  it("writes nothing when it is closed without having been used", async () => {
    const store = createMemoryStore();
    await createSession({ id: "s", cwd: "/repo", agent: { kind: "main" }, store }).close();
    expect(await store.sessions()).toEqual([]);
  });

  it("takes an answer as proof for what it was offered itself, not for what another process was offered", async () => {
    const store = createMemoryStore();
    const open = () => createSession({ id: "s", cwd: "/repo", agent: { kind: "main" }, store });
    const first = open();
    await first.record(message);
    const offered = await first.turn();
    const second = open();
    await second.record({ type: "assistant_turn" });
    await first.close();
    const again = await second.turn();
    expect(again.reminders.map(({ id }) => id)).toEqual(offered.reminders.map(({ id }) => id));
    await second.record({ type: "assistant_turn" });
    expect((await second.turn()).reminders).toEqual([]);
    await second.close();
  });

  it("says of a turn after its end that it is closed, and nothing else", async () => {
    const session = createSession({
      id: "s",
      cwd: "/repo",
      agent: { kind: "main" },
      configFiles: { read: false },
    });
    await session.record(message);
    await session.close();
    const body = { messages: [{ role: "user" as const, content: "Hi @src/a.ts" }] };
    const turn = await session.turn({ dialect: anthropicMessages, body });
    const words = "session s is closed: create it again to continue";
    expect(turn.problem).toBe(words);
    expect(turn.body).toBe(body);
    expect(turn.reminders).toEqual([]);
    expect(turn.problems).toEqual([]);
    expect([...new Set(turn.trace.map(({ outcome, reason }) => `${outcome}: ${reason}`))]).toEqual([
      `failed: ${words}`,
    ]);
    expect(await turn.commit()).toBe(true);
  });

  const dialect =
    'turn: dialect: expected a dialect object such as anthropicMessages, imported from "sotto", got ';
  const noSuch = (name: string) => `no such option; did you mean "${name}"?`;
  it.each<[string, unknown, string]>([
    ["null", null, "turn: expected options such as { dialect, body }, got null"],
    ["a text", "hi", 'turn: expected options such as { dialect, body }, got "hi"'],
    ["a list", [], "turn: expected options such as { dialect, body }, got a list"],
    ["a dialect's name", { dialect: "anthropic", body: {} }, `${dialect}"anthropic"`],
    ["a dialect of null", { dialect: null, body: {} }, `${dialect}null`],
    ["a dialect without functions", { dialect: {}, body: {} }, `${dialect}another object`],
    ["a prompt that is none", { userPrompt: 5 }, "turn: userPrompt: expected a text, got number"],
    ["a misspelt dialect", { dialekt: {}, body: {} }, `turn: dialekt: ${noSuch("dialect")}`],
    ["a misspelt prompt", { user_prompt: "go" }, `turn: user_prompt: ${noSuch("userPrompt")}`],
  ])("answers a turn that was asked for wrongly in words: %s", async (_name, given, words) => {
    const session = createSession({
      cwd: "/repo",
      agent: { kind: "main" },
      configFiles: { read: false },
      config: { timeout_ms: 60_000 },
      trust: { neutraliseToolResults: true },
    });
    await session.record(message);
    const ask = session.turn as (options: unknown) => ReturnType<typeof session.turn>;
    const turn = await ask(given);
    expect(turn.problem).toBe(words);
    expect(turn.body).toBe((given as { body?: unknown } | null)?.body);
    // Nothing is lost by it.
    expect((await session.turn()).reminders.map(({ text }) => text).join()).toContain("Parser done.");
    await session.close();
  });
});
