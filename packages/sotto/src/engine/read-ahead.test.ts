// Requests of many megabytes are read in parts, and get what they would get if they were read at once.

import { describe, expect, it } from "vitest";
import { catalogue } from "../attachments/catalogue.ts";
import { type AnthropicMessage, anthropicMessages } from "../dialects/anthropic-messages.ts";
import type { Store } from "../log/entries.ts";
import { nodePlatform } from "../platform/node-platform.ts";
import type { Platform } from "../platform/platform.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { startDeadline } from "./deadline.ts";
import { isLong } from "./read-ahead.ts";
import { createSessionFrom } from "./session.ts";

/** A session, and how often it let others have their turn. */
function opened() {
  let pauses = 0;
  const platform: Platform = {
    ...nodePlatform,
    timer(ms, run) {
      if (ms === 0) pauses += 1;
      return nodePlatform.timer(ms, run);
    },
  };
  const parts = { platform, catalogue, sources: () => [], store: createMemoryStore() };
  const options = { id: "s", cwd: "/repo", agent: { kind: "main" } as const, config: { timeout_ms: 60_000 } };
  const session = createSessionFrom(parts, options);
  const ask = (messages: readonly AnthropicMessage[]) =>
    session.turn({ dialect: anthropicMessages, body: { messages } });
  const pausesOf = async (messages: readonly AnthropicMessage[]) => {
    const before = pauses;
    await ask(messages);
    return pauses - before;
  };
  return { session, ask, pausesOf };
}

const long: AnthropicMessage[] = Array.from({ length: 101 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `${index} ${"word ".repeat(20_000)}`,
}));
const more: AnthropicMessage[] = [
  { role: "assistant", content: "Yes." },
  { role: "user", content: "Next." },
];

describe("a long request", () => {
  it("lets others have their turn between its parts, and only what is new counts", async () => {
    const { pausesOf } = opened();
    expect(await pausesOf(long)).toBeGreaterThanOrEqual(10);
    expect(await pausesOf([...long, ...more])).toBe(0);
    expect(await opened().pausesOf([...more.slice(1), ...more])).toBe(0);
  });

  it("is also one with many small blocks: these take longer than their text says", async () => {
    const small = Array.from({ length: 2000 }, (_, index): AnthropicMessage[] => [
      { role: "assistant", content: [{ type: "tool_use", id: `${index}`, name: "t", input: {} } as never] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `${index}`, content: "" } as never] },
    ]).flat();
    const request: AnthropicMessage[] = [{ role: "user", content: "Go on." }, ...small];
    expect(await opened().pausesOf(request)).toBeGreaterThanOrEqual(4);
  });

  it("is not read when there is no time left and nothing of ours is in it", async () => {
    const store = createMemoryStore();
    let isStuck = false;
    const append: Store["append"] = (...given) =>
      isStuck ? new Promise(() => undefined) : store.append(...given);
    const parts = { platform: nodePlatform, catalogue, sources: () => [], store: { ...store, append } };
    const options = { id: "s", cwd: "/repo", agent: { kind: "main" } as const, config: { timeout_ms: 300 } };
    const session = createSessionFrom(parts, options);
    await session.open();
    isStuck = true;
    let reads = 0;
    const dialect: typeof anthropicMessages = {
      ...anthropicMessages,
      read(message, index) {
        reads += 1;
        return anthropicMessages.read(message, index);
      },
    };
    // What the call did cannot be recorded.
    const call = { type: "tool_use", id: "c", name: "Read", input: { file_path: "/a" } };
    const result = { type: "tool_result", tool_use_id: "c", content: "one" };
    const messages = [
      ...long,
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
    ] as AnthropicMessage[];
    const body = { messages };
    const turn = await session.turn({ dialect, body });
    expect([turn.body === body, turn.problem]).toEqual([true, "the log did not answer in time"]);
    expect(reads).toBeLessThan(10);
  });

  it("is named if reading it takes all the time, and not the log", async () => {
    // The first pause of the reading never ends.
    let isStuck = false;
    const timer: Platform["timer"] = (ms, run) => {
      if (ms > 0 || !isStuck) return nodePlatform.timer(ms, run);
      isStuck = false;
      return () => undefined;
    };
    const platform = { ...nodePlatform, timer };
    const parts = { platform, catalogue, sources: () => [], store: createMemoryStore() };
    const options = { id: "s", cwd: "/repo", agent: { kind: "main" } as const, config: { timeout_ms: 300 } };
    const session = createSessionFrom(parts, options);
    const dialect: typeof anthropicMessages = {
      ...anthropicMessages,
      read(message, index) {
        if (index === 0) isStuck = true;
        return anthropicMessages.read(message, index);
      },
    };
    const turn = await session.turn({ dialect, body: { messages: long } });
    expect(turn.problem).toBe("the request was not read in time");
  });

  it("has its reminders where a session has them that saw the conversation grow", async () => {
    const [once, grown] = [opened(), opened()];
    for (let length = 1; length < long.length; length += 10) await grown.ask(long.slice(0, length));
    const bodies = [once, grown].map(async ({ session, ask }) => {
      await session.record({ type: "prompt_queued", id: "q", prompt: "Use MARK." });
      const first = await ask(long);
      await first.commit();
      const second = await ask([...long, ...more]);
      return [first.body.messages, second.body.messages];
    });
    const [[first = [], second = []] = [], others] = await Promise.all(bodies);
    expect(JSON.stringify(first.slice(long.length))).toContain("MARK");
    expect(second.slice(0, first.length)).toEqual(first);
    expect([first, second]).toEqual(others);
  });
});

it("what cannot be measured is long, and bytes are not counted one by one", () => {
  const asked = (message: unknown) =>
    isLong({ dialect: { ...anthropicMessages, messages: () => [message] }, body: {}, ids: [0], shared: 0 });
  const twice: Record<string, unknown> = {};
  twice.left = twice;
  twice.right = [twice];
  expect(asked(twice)).toBe(true);
  expect(asked({ content: [new Uint8Array(5_000_000)] })).toBe(false);
  expect(asked({ content: "a".repeat(3_000_000) })).toBe(true);
});

it("work that held the thread beyond the deadline is what took the time, not what follows", () => {
  let now = 0;
  const deadline = startDeadline({ ...nodePlatform, monotonic: () => now }, 1000);
  deadline.enter("sources");
  now = 900;
  deadline.enter("types");
  expect(deadline.missed()).toBe("the types were not asked in time");
  now = 5000;
  deadline.enter("log");
  expect(deadline.missed()).toBe("the types were not asked in time");
  deadline.stop();
});
