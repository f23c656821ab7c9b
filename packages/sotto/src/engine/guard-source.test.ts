// A host's own sources that go wrong in any method, beside one that is well. Time passes only when nothing else happens.

import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { type Attachment, defineAttachment } from "../attachments/attachment.ts";
import { catalogue } from "../attachments/catalogue.ts";
import type { StoredEvent } from "../facts/events.ts";
import { nodePlatform } from "../platform/node-platform.ts";
import type { Platform } from "../platform/platform.ts";
import type { Source } from "../sources/source.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { createSessionFrom } from "./session.ts";

const ID = "s";
const TIMEOUT_MS = 1000;
// More than any step needs that waits for no timer.
const ROUNDS = 25;

/** Timers of which the earliest is due when nothing else happens any more. */
function virtualTime() {
  let now = 0;
  const timers = new Set<{ at: number; run: () => unknown }>();
  const timer = (ms: number, run: () => unknown) => {
    const one = { at: now + ms, run };
    timers.add(one);
    return () => void timers.delete(one);
  };
  const platform: Platform = {
    ...nodePlatform,
    monotonic: () => now,
    timer,
    backgroundTimer: (ms, run) => void timer(ms, run),
  };
  /** What becomes of it, and how long that took. */
  async function ends<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
    const from = now;
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    while (!isOver) {
      for (let round = 0; round < ROUNDS && !isOver; round++) await new Promise(setImmediate);
      if (isOver) break;
      const [next] = [...timers].sort((a, b) => a.at - b.at);
      if (next === undefined) throw new Error("it waits for something that never comes");
      timers.delete(next);
      now = Math.max(now, next.at);
      next.run();
    }
    return { value: await work, ms: now - from };
  }
  return { platform, ends };
}

/** Tells what a source has observed in every turn. */
function teller(fact: string): Attachment {
  return defineAttachment({
    type: `tells_${fact}`,
    summary: "Made for a test.",
    tier: "core",
    when: "on every turn",
    needs: [fact as never],
    schema: v.unknown(),
    repeat: "always",
    content: "trusted",
    trigger: (facts: Record<string, { known: boolean } | undefined>) =>
      facts[fact]?.known ? [{ data: {} }] : { skip: "cannot tell" },
    render: () => `${fact} is told`,
    examples: [{ title: "one", data: {} }],
  } as never);
}

function open(sources: readonly object[]) {
  const { platform, ends } = virtualTime();
  const store = createMemoryStore();
  const session = createSessionFrom(
    { platform, catalogue, sources: () => [], store },
    {
      ...{ id: ID, cwd: "/repo", agent: { kind: "main" }, config: { timeout_ms: TIMEOUT_MS } },
      sources: sources as Source[],
      attachments: (sources as Source[]).map(({ fact }) => teller(fact)),
    },
  );
  const recorded = async () => {
    const { entries } = await store.read(ID, 0);
    return entries.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));
  };
  return { session, ends, recorded };
}

const queued = (id: string) => ({ type: "prompt_queued" as const, id, prompt: `Words of ${id}.` });
const never = () => new Promise<never>(() => undefined);
const boom = (): never => {
  throw new Error("boom");
};

const faults: Record<string, () => unknown> = {
  throws: boom,
  "throws nothing": () => {
    throw undefined;
  },
  rejects: async () => boom(),
  hangs: never,
  "returns null": () => null,
  "returns a number": () => 7,
  "returns a promise of junk": async () => "junk",
  "returns a list of junk": () => [null, 7, { where: 1 }, undefined],
  "returns another event": async () => ({ type: "assistant_turn" }),
  "returns what cannot be read": () => new Proxy({}, { get: boom, ownKeys: boom, has: boom }),
  // biome-ignore lint/suspicious/noThenProperty: this is the trap
  "returns a thenable that throws": () => ({ then: boom }),
  // biome-ignore lint/suspicious/noThenProperty: this is the trap
  "returns a thenable that never calls back": () => ({ then() {} }),
  // biome-ignore lint/suspicious/noThenProperty: this is the trap
  "returns a thenable that cannot be read": () => Object.defineProperty({}, "then", { get: boom }),
  // biome-ignore lint/suspicious/noThenProperty: this is the trap
  "returns a promise with a then of its own": () => Object.assign(Promise.resolve(7), { then: boom }),
};
const methods = ["observe", "start", "servers", "warm", "prepare", "notice", "problems", "sleep", "close"];

const healthy = () => ({
  fact: "healthy",
  observe: () => "fine",
  prepare: async (event: StoredEvent) => event,
  problems: () => [{ where: "the healthy one", problem: "a word" }],
});

/** `isGetter`: the method works until the session has it, and cannot be read from then on. */
interface Faulty {
  faults: Record<string, string>;
  isGetter: boolean;
}

function faulty(index: number, { faults: given, isGetter }: Faulty): { source: object; spoil(): void } {
  const calls = Object.entries(given).map(([method, fault]) => [method, faults[fault]]);
  const source = { fact: `faulty${index}`, observe: () => "fine", ...Object.fromEntries(calls) };
  const spoil = () => {
    if (!isGetter) return;
    for (const method of Object.keys(given)) Object.defineProperty(source, method, { get: boom });
  };
  return { source, spoil };
}

const faultySource: fc.Arbitrary<Faulty> = fc.record({
  faults: fc.dictionary(fc.constantFrom(...methods), fc.constantFrom(...Object.keys(faults)), { minKeys: 1 }),
  isGetter: fc.boolean(),
});

describe("a host's own source that goes wrong", () => {
  it("AC-4 whatever sources do in whatever method, nothing is lost, hangs or throws, and the others are told", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(faultySource, { minLength: 1, maxLength: 3 }), async (given) => {
        const made = given.map((one, index) => faulty(index, one));
        const { session, ends, recorded } = open([...made.map(({ source }) => source), healthy()]);
        for (const { spoil } of made) spoil();
        await ends(session.open());
        await ends(Promise.all(["a", "b"].map((id) => session.record(queued(id)))));
        void session.record(queued("c"));
        for (const ids of [["a", "b", "c"], ["d"]]) {
          if (ids.includes("d")) void session.record(queued("d"));
          const { value: turn, ms } = await ends(session.turn());
          expect(turn.problem).toBeUndefined();
          expect(ms).toBeLessThanOrEqual(TIMEOUT_MS);
          const texts = turn.reminders.map(({ text }) => text).join("\n");
          for (const id of ids) expect(texts).toContain(`Words of ${id}.`);
          expect(texts).toContain("healthy is told");
          await ends(turn.commit());
        }
        const { value: problems } = await ends(session.problems());
        expect(problems).toContainEqual({ where: "the healthy one", problem: "a word" });
        await ends(session.state());
        await ends(session.close());
        const prompts = (await recorded()).filter(({ type }) => type === "prompt_queued");
        expect(prompts).toEqual(["a", "b", "c", "d"].map(queued));
      }),
      runs(400),
    );
  });

  it.each(Object.keys(faults))(
    "AC-4 an event whose preparation %s is kept as it was given, and a person can see why",
    async (fault) => {
      const { source } = faulty(0, { faults: { prepare: fault }, isGetter: false });
      const { session, ends, recorded } = open([source]);
      const { ms } = await ends(session.record(queued("a")));
      expect(ms).toBeLessThanOrEqual(TIMEOUT_MS / 2);
      expect(await recorded()).toContainEqual(queued("a"));
      expect(await session.problems()).toEqual([
        { where: "the source of faulty0", problem: expect.stringMatching(/^its prepare failed: ./u) },
      ]);
      await ends(session.close());
    },
  );

  it("AC-4 a source that does not end a preparation is not asked again until it does", async () => {
    const first = Promise.withResolvers<StoredEvent>();
    const asked: string[] = [];
    const prepare = (event: StoredEvent) => {
      const { id, prompt } = event as ReturnType<typeof queued>;
      asked.push(id);
      return id === "a" ? first.promise : Promise.resolve({ ...event, prompt: `Prepared: ${prompt}` });
    };
    const { session, ends, recorded } = open([{ fact: "slow", observe: () => 1, prepare }]);
    expect((await ends(session.record(queued("a")))).ms).toBe(TIMEOUT_MS / 2);
    expect((await ends(session.record(queued("b")))).ms).toBe(0);
    first.resolve({ ...queued("a"), prompt: "Too late." });
    await new Promise(setImmediate);
    await ends(session.record(queued("c")));
    expect(asked).toEqual(["a", "c"]);
    const prompts = (await recorded()).filter(({ type }) => type === "prompt_queued");
    expect(prompts).toEqual([queued("a"), queued("b"), { ...queued("c"), prompt: "Prepared: Words of c." }]);
  });

  it("AC-4 what it changes in an event before it fails is not recorded", async () => {
    const prepare = (event: { prompt: string }) => {
      event.prompt = "Changed.";
      throw new Error("boom");
    };
    const { session, ends, recorded } = open([{ fact: "sly", observe: () => 1, prepare }]);
    await ends(session.record(queued("a")));
    expect(await recorded()).toContainEqual(queued("a"));
  });

  it("AC-4 one that never warms up or closes holds nobody up, and a person can see it", async () => {
    const { session, ends } = open([{ fact: "stuck", observe: () => 1, warm: never, close: never }]);
    await ends(session.open());
    await ends(session.close());
    expect(await session.problems()).toEqual(
      ["warm", "close"].map((method) => ({
        where: "the source of stuck",
        problem: `its ${method} did not end within 12 s`,
      })),
    );
  });

  it.each<[string, object, string]>([
    ["a method that is none", { prepare: 5 }, "sources[0].prepare: expected a function"],
    ["null as a method", { close: null }, "sources[0].close: expected a function"],
    ["a list of junk", { after: [null] }, "sources[0].after: expected a list of facts"],
    ["a method that cannot be read", unreadable("notice"), "sources[0]: it cannot be read: boom"],
    ["a list that cannot be read", unreadable("behind"), "sources[0]: it cannot be read: boom"],
  ])("AC-4 is refused with %s", (_what, parts, words) => {
    const source = Object.defineProperties(
      { fact: "odd", observe: () => 1 },
      Object.getOwnPropertyDescriptors(parts),
    );
    expect(() => open([source])).toThrow(`createSession: ${words}`);
  });
});

function unreadable(field: string): object {
  return Object.defineProperty({}, field, { get: boom, enumerable: true });
}
