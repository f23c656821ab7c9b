// A turn that is late or fails says nothing new, but what was sent before stays where it was sent.

import { describe, expect, it, vi } from "vitest";
import { setDeadline } from "../../../../test/support/deadlines.ts";
import { catalogue } from "../attachments/catalogue.ts";
import { type AnthropicMessage, anthropicMessages } from "../dialects/anthropic-messages.ts";
import type { Store } from "../log/entries.ts";
import { nodePlatform } from "../platform/node-platform.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { createSessionFrom } from "./session.ts";

type Trouble = "none" | "hangs" | "fails";

/** A store that stops working when it is told to. */
function troubled(): { store: Store; trouble: { append: Trouble; read: Trouble } } {
  const inner = createMemoryStore();
  const trouble: { append: Trouble; read: Trouble } = { append: "none", read: "none" };
  const meet = <T>(what: Trouble, go: () => Promise<T>): Promise<T> => {
    if (what === "hangs") return new Promise(() => undefined);
    return what === "fails" ? Promise.reject(new Error("the disk is gone")) : go();
  };
  const store: Store = {
    ...inner,
    append: (...given) => meet(trouble.append, () => inner.append(...given)),
    read: (...given) => meet(trouble.read, () => inner.read(...given)),
  };
  return { store, trouble };
}

describe("what was sent before stays in its place", () => {
  it.each<["append" | "read", Trouble]>([
    ["append", "hangs"],
    ["append", "fails"],
    ["read", "hangs"],
    ["read", "fails"],
  ])("if %s %s", async (part, what) => {
    const { store, trouble } = troubled();
    const parts = { platform: nodePlatform, catalogue, sources: () => [], store };
    const session = createSessionFrom(parts, {
      id: "s",
      cwd: "/repo",
      agent: { kind: "main" },
      config: { timeout_ms: 60_000 },
    });
    await session.record({ type: "prompt_queued", id: "one", prompt: "Mind the tests." });
    let messages: AnthropicMessage[] = [{ role: "user", content: "Begin." }];
    const ask = () => session.turn({ dialect: anthropicMessages, body: { messages } });
    const first = await ask();
    await first.commit();
    expect(JSON.stringify(first.body)).toContain("Mind the tests.");

    await session.record({ type: "prompt_queued", id: "two", prompt: "And the docs." });
    messages = [...messages, { role: "assistant", content: "Yes." }, { role: "user", content: "Next." }];
    await setDeadline(session, 500);
    trouble[part] = what;
    const second = await ask();
    expect(second.problem).toBeDefined();
    const sent = first.body.messages;
    expect(second.body.messages.slice(0, sent.length)).toEqual(sent);
    expect(JSON.stringify(second.body)).not.toContain("And the docs.");

    trouble[part] = "none";
  });
});

describe("a call that a store never answers", () => {
  const parts = ["read", "snapshot", "append"] as const;
  const times = ["when the session is opened", "in a session", "in one that slept"] as const;
  const cases = parts.flatMap((part) => times.map((when) => [part, when] as const));
  it.each(cases)("%s, %s, is given up: the session goes on, and closes", async (part, when) => {
    const inner = createMemoryStore();
    let hangs: string | undefined;
    const meet = <T>(name: string, go: () => Promise<T>): Promise<T> => {
      if (hangs !== name) return go();
      hangs = undefined;
      return new Promise(() => undefined);
    };
    const store: Store = {
      ...inner,
      patienceMs: 100,
      append: (...given) => meet("append", () => inner.append(...given)),
      read: (...given) => meet("read", () => inner.read(...given)),
      snapshot: (...given) => meet("snapshot", () => inner.snapshot(...given)),
    };
    const session = createSessionFrom(
      { platform: nodePlatform, catalogue, sources: () => [], store },
      {
        id: "s",
        cwd: "/repo",
        agent: { kind: "main" },
        config: { timeout_ms: 300 },
        idleAfterMs: when === "in one that slept" ? 1 : 0,
      },
    );
    const ask = () =>
      session.turn({ dialect: anthropicMessages, body: { messages: [{ role: "user", content: "Begin." }] } });
    if (when !== "when the session is opened") await (await ask()).commit();
    if (when === "in one that slept") await new Promise((resolve) => setTimeout(resolve, 50));
    hangs = part;
    await ask();
    const queued = { type: "prompt_queued", id: "one", prompt: "Mind the tests." } as const;
    await vi.waitFor(() => session.record(queued), { timeout: 300_000 });
    await vi.waitFor(async () => expect(JSON.stringify((await ask()).body)).toContain("Mind the tests."), {
      timeout: 300_000,
    });
    await session.close();
  });
});

it("a turn that is late while its session wakes has its request unchanged, not a part of the reminders", async () => {
  const inner = createMemoryStore();
  let pause: Promise<unknown> = Promise.resolve();
  const store: Store = { ...inner, read: (...given) => pause.then(() => inner.read(...given)) };
  const session = createSessionFrom(
    { platform: nodePlatform, catalogue, sources: () => [], store },
    { id: "s", cwd: "/repo", agent: { kind: "main" }, config: { timeout_ms: 60_000 }, idleAfterMs: 1 },
  );
  const messages: AnthropicMessage[] = [];
  const ask = async () => {
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages: [...messages] } });
    await turn.commit();
    return turn;
  };
  const step = async (number: number) => {
    messages.push({ role: "user", content: `Step ${number}.` });
    await session.record({ type: "prompt_queued", id: `q${number}`, prompt: `Mind ${number}.` });
    await ask();
    messages.push({ role: "assistant", content: `Done ${number}.` });
  };
  // Enough for a snapshot; what comes after it is in the entries only.
  for (let number = 1; number <= 30; number++) await step(number);
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (let number = 31; number <= 33; number++) await step(number);
  await setDeadline(session, 300);
  await new Promise((resolve) => setTimeout(resolve, 50));
  messages.push({ role: "user", content: "Next." });
  const reading = Promise.withResolvers<void>();
  pause = reading.promise;
  const late = await ask();
  expect(late.problem).toBeDefined();
  expect([0, 33]).toContain((late.body.messages.length - messages.length) as number);
  reading.resolve();
  pause = Promise.resolve();
  await setDeadline(session);
  expect((await ask()).body.messages.length - messages.length).toBe(33);
  await session.close();
});
