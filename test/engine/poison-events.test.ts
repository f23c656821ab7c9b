// Events that are odd or far too large: refused with a clear error, or kept. What is recorded after them always arrives.

import { createMemoryStore, type SessionEvent, SottoError } from "sotto";
import type { Store } from "sotto/extend";
import { eventTypes, recordAny } from "sotto/internal";
import { describe, expect, it } from "vitest";
import { eventSamples } from "../support/event-samples.ts";
import { isWhole } from "../support/runs.ts";
import { answered, openSession } from "../support/telling.ts";

type Fields = Record<string, unknown>;

const at = "2026-11-15T10:00:00Z";

/** Types whose good event after a bad one of the same type must be said. */
const spoken = [
  "agent_mentioned",
  "diagnostics_published",
  "hook_finished",
  "message_received",
  "prompt_queued",
];

const deep = JSON.parse(`${"[".repeat(2000)}${"]".repeat(2000)}`);

const odd: Record<string, (value: unknown) => unknown> = {
  "more than 4,000,000 characters": (value) =>
    typeof value === "string" ? "x".repeat(4_100_000) : undefined,
  "just under 4,000,000 characters": (value) =>
    typeof value === "string" && value.startsWith("bad") ? "word ".repeat(780_000) : undefined,
  "half a surrogate pair": (value) => (typeof value === "string" ? `a\ud800b\udc00` : undefined),
  "control characters": (value) => (typeof value === "string" ? "a\0b\u001b[2J\u0008" : undefined),
  "lists in lists, 2000 deep": () => deep,
  "300,000 items": (value) => (Array.isArray(value) ? Array(300_000).fill(value[0]) : undefined),
  "no number": (value) => (typeof value === "number" ? Number.NaN : undefined),
  "an endless number": (value) => (typeof value === "number" ? Number.POSITIVE_INFINITY : undefined),
};

/** All fields of an event, each odd in its turn. */
const cases = Object.entries(eventSamples).flatMap(([type, sample]) =>
  Object.entries(odd).flatMap(([what, make]) => {
    const events = pathsIn(sample("")).flatMap((path, index) => {
      const good = sample(`bad${index}`);
      const value = make(valueAt(good, path));
      return value === undefined ? [] : [{ type, ...withAt(good, path, value) }];
    });
    // Large ones take their time: in the short run those of types that are said right after.
    const isLeftOut = !isWhole && /just under|items/u.test(what) && !spoken.includes(type);
    return events.length === 0 || isLeftOut ? [] : [{ type, what, events }];
  }),
);

it("there is a sample of every event", () => {
  expect(Object.keys(eventSamples).sort()).toEqual([...eventTypes].sort());
});

describe("an event with a field that is odd", () => {
  it.each(cases)("$type: $what", async ({ type, events }) => {
    const store = createMemoryStore();
    const session = openSession({ id: "s", store, configFiles: { read: false } });
    for (const event of events) await recordOr(session, event);
    const marks = ["good-prompt", ...(spoken.includes(type) ? ["good-own"] : [])];
    await session.record({ type: "prompt_queued", id: "g", prompt: "good-prompt" });
    if (spoken.includes(type))
      await recordAny(session, { type, ...eventSamples[type]?.("good-own") } as never);
    const heard: string[] = [];
    for (let turn = 0; turn < 12 && !marks.every((mark) => heard.join().includes(mark)); turn++) {
      const { reminders, problem } = await answered(session);
      expect(problem).toBeUndefined();
      heard.push(...reminders.map(({ text }) => text));
    }
    for (const mark of marks) expect(heard.join()).toContain(mark);
    for (const text of heard) expect(text.isWellFormed()).toBe(true);
    await session.close();
    // What was taken can be read back.
    const again = openSession({ id: "s", store, configFiles: { read: false } });
    expect((await again.state()).damaged).toEqual([]);
    await again.close();
  });
});

describe("a log from before there was a limit", () => {
  it.each([
    ["5 MB", 5_000_000],
    ["70 MB", 70_000_000],
  ])("with a prompt and a letter of %s", async (_, size) => {
    const store = createMemoryStore();
    const long = "x".repeat(size);
    await begin(store, [
      { type: "prompt_queued", id: "p1", prompt: "before" },
      { type: "prompt_queued", id: "p2", prompt: long },
      { type: "prompt_queued", id: "p3", prompt: "behind" },
      { type: "message_received", id: "m1", from: "eve", text: long, timestamp: at },
      { type: "message_received", id: "m2", from: "ada", text: "a letter", timestamp: at },
    ]);
    const session = openSession({ id: "s", store, configFiles: { read: false } });
    expect((await session.state()).damaged).toEqual([]);
    const turns = [await answered(session), await answered(session), await answered(session)];
    const heard = turns.flatMap(({ reminders }) => reminders).map(({ text }) => text);
    for (const mark of ["before", "behind", "a letter"]) expect(heard.join()).toContain(mark);
    // Their beginnings come, each once, with a word about the rest; and nothing is left.
    const cut = heard.filter((text) => text.includes(`ut, as it has ${size} characters`));
    expect(cut).toHaveLength(2);
    expect((await answered(session)).reminders).toEqual([]);
    await session.close();
  });

  it("many that are fine alone and too much together come in parts", async () => {
    const store = createMemoryStore();
    const files = Array.from({ length: 17 }, (_, index) => ({
      type: "diagnostics_published" as const,
      origin: "host" as const,
      filePath: `/repo/f${index}.ts`,
      diagnostics: [{ message: `m${index} ${"y".repeat(3_900_000)}`, severity: "Error" as const, line: 1 }],
    }));
    await begin(store, files);
    const session = openSession({ id: "s", store, configFiles: { read: false } });
    const heard: string[] = [];
    for (let turn = 0; turn < 30 && !files.every((_, index) => isIn(heard, index)); turn++) {
      const { reminders, trace } = await answered(session);
      const failed = trace.filter(({ type, outcome }) => type === "diagnostics" && outcome === "failed");
      expect(failed).toEqual([]);
      heard.push(...reminders.map(({ text }) => text));
    }
    expect(files.filter((_, index) => !isIn(heard, index))).toEqual([]);
    await session.close();
  });
});

const isIn = (heard: readonly string[], index: number) => heard.some((text) => text.includes(`f${index}.ts`));

/** As an older version wrote it. */
async function begin(store: Store, events: readonly SessionEvent[]): Promise<void> {
  const entries = events.map((event) => ({ kind: "event" as const, v: 1, at, event }));
  await store.append("s", { entries });
}

async function recordOr(session: ReturnType<typeof openSession>, event: Fields): Promise<void> {
  try {
    await recordAny(session, event as never);
  } catch (error) {
    expect(error).toBeInstanceOf(SottoError);
    expect(error).toMatchObject({ code: "invalid_event" });
    expect((error as Error).message.length).toBeLessThan(400);
  }
}

/** Every field that is a text, a number or a list. */
function pathsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value === "string" || typeof value === "number") return [path];
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [path] : [];
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key]))];
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, key) => (inner as Fields)[key], value);
}

function withAt(value: unknown, [key, ...rest]: readonly string[], put: unknown): Fields {
  if (key === undefined) return put as Fields;
  const inner = withAt((value as Fields)[key], rest, put);
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === key ? inner : one)) as never;
  return { ...(value as Fields), [key]: inner };
}
