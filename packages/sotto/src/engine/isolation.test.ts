import { createMemoryStore, createSession, type Session, type Turn } from "sotto";
import type { Attachment, AttachmentDefinition, Source } from "sotto/extend";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { setDeadline, useOwnDeadlines } from "../../../../test/support/deadlines.ts";
import { soonerThan } from "../../../../test/support/effort.ts";
import { answered, openSession, outcomeOf, says } from "../../../../test/support/telling.ts";
// Unchecked: these go wrong in ways that hosts' definitions are refused for.
import { defineAttachment } from "../attachments/attachment.ts";

useOwnDeadlines();

type Definition = AttachmentDefinition<unknown, never, Record<never, never>>;

/** An attachment of the host's own that says something every turn, in whatever way a test wants. */
function speaking(type: string, parts: Partial<Record<keyof Definition, unknown>> = {}): Attachment {
  return defineAttachment({
    type,
    summary: "Made for a test.",
    tier: "core",
    when: "on every turn",
    needs: [],
    schema: v.unknown(),
    repeat: "always",
    content: "trusted",
    trigger: () => [{ data: {} }],
    render: () => `${type} speaks`,
    examples: [{ title: "one", data: {} }],
    ...(parts as Partial<Definition>),
  });
}

/** A source and an attachment that tells what it found. */
function telling(
  fact: string,
  observe: (signal: AbortSignal) => unknown,
): { source: Source; attachment: Attachment } {
  const source = {
    fact: fact as "planFile",
    observe: (_turn: unknown, signal: AbortSignal) => observe(signal),
  } as Source;
  const attachment = speaking(`tells_${fact}`, {
    needs: [fact],
    trigger(facts: Record<string, { known: boolean; value?: unknown; why?: string }>) {
      const { known, value, why } = facts[fact] ?? { known: false };
      return known ? [{ data: { value } }] : { skip: `cannot tell: ${why}` };
    },
    render: ({ value }: { value: unknown }) => `${fact}: ${value}`,
  });
  return { source, attachment };
}

function sessionOf(pairs: { source: Source; attachment: Attachment }[], config: object = {}): Session {
  return openSession({
    config,
    sources: pairs.map(({ source }) => source),
    attachments: pairs.map(({ attachment }) => attachment),
  });
}

const never = () => new Promise<never>(() => undefined);

describe("sources under one deadline", () => {
  it("AC-3 ten are asked side by side: each of them may wait for all the others", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `slow${index}`);
    const { promise: allAsked, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    const wait = (name: string) => () => {
      if (++asked === names.length) resolve();
      return allAsked.then(() => name);
    };
    const session = sessionOf(
      names.map((name) => telling(name, wait(name))),
      { timeout_ms: 20_000 },
    );
    const turn = await session.turn();
    expect(turn.reminders.map(({ type }) => type)).toEqual(names.map((name) => `tells_${name}`));
  });

  it("AC-3 one that never answers costs no more than the deadline, and only itself", async () => {
    let given: AbortSignal | undefined;
    const ms = await soonerThan(300, async () => {
      const hanging = telling("hanging", (signal) => {
        given = signal;
        return never();
      });
      const session = sessionOf([hanging, telling("quick", () => "here")], { timeout_ms: 200 });
      const turn = await session.turn();
      expect(turn.reminders.map(({ text }) => text)).toEqual([
        "<system-reminder>\nquick: here\n</system-reminder>",
      ]);
      expect(outcomeOf(turn, "tells_hanging")).toMatch(
        /^timed out: the source of hanging gave no answer within \d+ ms$/u,
      );
    });
    expect(ms).toBeGreaterThanOrEqual(190);
    expect(ms).toBeLessThan(300);
    expect(given?.aborted).toBe(true);
  });

  it("AC-3 the deadline is 1 s unless told otherwise", async () => {
    const { source, attachment } = telling("hanging", never);
    const session = createSession({
      cwd: "/repo",
      agent: { kind: "main" },
      sources: [source],
      attachments: [attachment],
    });
    const ms = await soonerThan(1600, async () => expect((await session.turn()).reminders).toEqual([]));
    expect(ms).toBeGreaterThanOrEqual(990);
    expect(ms).toBeLessThan(1600);
  });

  it.each([
    ["gives no answer", never, 1000],
    ["fails", () => Promise.reject(new Error("not now")), undefined],
  ])("AC-3 what comes too late is used in the next turn, even if the source %s then", async (_, then, ms) => {
    let calls = 0;
    const first = Promise.withResolvers<string>();
    const late = telling("late", () => (++calls === 1 ? first.promise : then()));
    const session = sessionOf([late]);
    await setDeadline(session, 100);
    expect(says(await answered(session), "tells_late")).toBe(false);
    first.resolve("the answer");
    await setDeadline(session, ms);
    expect((await answered(session)).reminders.map(({ text }) => text)).toEqual([
      "<system-reminder>\nlate: the answer\n</system-reminder>",
    ]);
  });

  it("AC-3 AC-4 what comes too late is used while the source rests", async () => {
    const slow = Promise.withResolvers<string>();
    const session = sessionOf([telling("slow", () => slow.promise)]);
    await setDeadline(session, 50);
    for (let count = 1; count <= 3; count++) expect(says(await answered(session), "tells_slow")).toBe(false);
    slow.resolve("the answer");
    await setDeadline(session);
    const turn = await answered(session);
    expect(turn.reminders.map(({ text }) => text)).toEqual([
      "<system-reminder>\nslow: the answer\n</system-reminder>",
    ]);
    expect(outcomeOf(turn, "tells_slow")).toMatch(/^sent: 1 sent; the source of slow is resting until turn/u);
  });

  it("AC-3 cannot tell now keeps what was known, and the trace says so", async () => {
    let calls = 0;
    const session = sessionOf([
      telling("moody", async () => {
        if (++calls > 1) throw new Error("the server is down");
        return "fine";
      }),
    ]);
    await answered(session);
    const turn = await answered(session);
    expect(turn.reminders.map(({ text }) => text)).toEqual([
      "<system-reminder>\nmoody: fine\n</system-reminder>",
    ]);
    expect(outcomeOf(turn, "tells_moody")).toBe(
      "sent: 1 sent; the source of moody failed: the server is down",
    );
  });

  it("AC-4 a source that fails 3 times rests for 10 turns, says so, and is asked again", async () => {
    let asked = 0;
    const broken = telling("broken", () => {
      asked++;
      throw new Error("no such thing");
    });
    const session = sessionOf([broken, telling("fine", () => asked)]);
    const told: string[] = [];
    for (let count = 1; count <= 15; count++) {
      const turn = await answered(session);
      expect(says(turn, "tells_fine")).toBe(true);
      told.push(outcomeOf(turn, "tells_broken"));
    }
    expect(asked).toBe(5);
    expect(told).toEqual([
      ...Array(3).fill("failed: the source of broken failed: no such thing"),
      ...Array(10).fill("resting: the source of broken is resting until turn 14, after 3 failures in a row"),
      ...Array(2).fill("failed: the source of broken failed: no such thing"),
    ]);
  });
});

const circular: Record<string, unknown> = {};
circular.self = circular;
const trap = {
  get data(): never {
    throw new Error("do not look");
  },
};
const huge = () => "x".repeat(100_000_000);

describe("an attachment that goes wrong costs only itself", () => {
  it.each<[string, Partial<Record<keyof Definition, unknown>>, string]>([
    ["throws in its trigger", { trigger: boom }, "failed: boom"],
    ["throws something that is no error", { trigger: () => rethrow({ odd: 1 }) }, "failed: [object Object]"],
    ["throws without words", { trigger: () => rethrow(new Error("")) }, "failed: an error without a message"],
    [
      "has an asynchronous trigger",
      { trigger: async () => [{ data: {} }] },
      "failed: its trigger is asynchronous: waiting belongs in a source",
    ],
    [
      "has an asynchronous trigger that throws",
      { trigger: async () => boom() },
      "failed: its trigger is asynchronous: waiting belongs in a source",
    ],
    [
      "returns nothing",
      { trigger: () => undefined },
      "failed: its trigger returned neither a list nor a reason",
    ],
    ["returns null", { trigger: () => null }, "failed: its trigger returned neither a list nor a reason"],
    ["returns text", { trigger: () => "now" }, "failed: its trigger returned neither a list nor a reason"],
    [
      "returns a reason that is none",
      { trigger: () => ({ skip: 7 }) },
      "failed: its trigger returned neither a list nor a reason",
    ],
    ["returns a reason that cannot be read", { trigger: () => unreadable("skip") }, "failed: do not read"],
    ["returns a reason without end", { trigger: () => ({ skip: huge() }) }, `nothing: ${"x".repeat(2500)}`],
    ["returns an empty list", { trigger: () => [] }, "nothing: nothing is due"],
    ["returns a list of nothing", { trigger: () => [null] }, "failed: its trigger returned junk, not data"],
    ["returns data with a getter that throws", { trigger: () => [trap] }, "failed: do not look"],
    ["returns circular data", { trigger: () => [{ data: circular }] }, "failed: its data was circular"],
    [
      "returns functions",
      { trigger: () => [{ data: { run: () => 1 } }] },
      "failed: its data was not plain data",
    ],
    [
      "returns 100 MB",
      { trigger: () => [{ data: huge() }] },
      "failed: its data was more than 64000000 characters",
    ],
    [
      "returns data that does not fit its schema",
      { schema: v.object({ n: v.optional(v.number()) }), trigger: () => [{ data: { n: "1" } }] },
      'failed: its data does not fit its schema: data.n: expected number, got "1"',
    ],
    [
      "covers what is no list",
      { trigger: () => [{ data: {}, covers: 7 }] },
      "failed: its trigger returned junk: due.covers: expected Array, got 7",
    ],
    [
      "has a key that is none",
      { trigger: () => [{ data: {}, key: { a: 1 } }] },
      "failed: its trigger returned junk: due.key: expected string, got Object",
    ],
    ["throws in its throttle", { throttle: { since: boom } }, "failed: boom"],
    ["throws in its render", { render: boom }, "failed: boom"],
    [
      "has an asynchronous render that throws",
      { render: async () => boom() },
      "failed: its render is asynchronous: waiting belongs in a source",
    ],
    [
      "renders nothing at all",
      { render: () => undefined },
      "failed: its render returned neither a text nor a list of parts",
    ],
    ["renders an empty text", { render: () => "" }, "nothing: its text is empty"],
    [
      "renders a number",
      { render: () => 7 },
      "failed: its render returned neither a text nor a list of parts",
    ],
    [
      "renders a list of junk",
      { render: () => ["fine", { junk: true }] },
      "failed: its render returned something that is neither text, element nor image",
    ],
    ["renders 100 MB", { render: huge }, "failed: its text was more than 64000000 characters"],
    [
      "renders a text that contains itself",
      { render: () => selfContaining() },
      "failed: Maximum call stack size exceeded",
    ],
    [
      "throws when it says where the rest is",
      { render: () => "word ".repeat(9000), readMoreAt: boom },
      "cut: 1 sent, cut to fit the budget",
    ],
  ])("AC-4 one that %s", async (_, parts, outcome) => {
    const session = openSession({
      config: { critical_instruction: "Run the tests." },
      attachments: [speaking("before"), speaking("odd", parts), speaking("behind")],
    });
    await session.record({
      type: "message_received",
      id: "m",
      from: "ada",
      text: "Hi.",
      timestamp: "2026-11-15T10:00:00Z",
    });
    // The first turn has a larger budget.
    await answered(session);
    const turn = await session.turn();
    expect(turn.problem).toBeUndefined();
    expect(turn.reminders.map(({ type }) => type).filter((type) => type !== "odd")).toEqual([
      "critical_system_reminder",
      "before",
      "behind",
    ]);
    expect(outcomeOf(turn, "odd")).toBe(outcome);
  });

  it("AC-4 a list of 10 000 is bounded, and the others are delivered", async () => {
    const flood = speaking("flood", {
      trigger: () => Array.from({ length: 10_000 }, (_, index) => ({ data: { index }, key: `${index}` })),
    });
    const session = openSession({ attachments: [flood, speaking("behind")] });
    const turn = await session.turn();
    expect(says(turn, "behind")).toBe(true);
    expect(turn.reminders.filter(({ type }) => type === "flood")).toHaveLength(200);
  });

  it("AC-4 one that fails 3 times in a row rests for 10 turns, says so, and is tried again", async () => {
    const session = openSession({ attachments: [speaking("odd", { trigger: boom }), speaking("behind")] });
    const told: string[] = [];
    for (let count = 1; count <= 15; count++) {
      const turn = await answered(session);
      expect(says(turn, "behind")).toBe(true);
      told.push(outcomeOf(turn, "odd"));
    }
    expect(told).toEqual([
      ...Array(3).fill("failed: boom"),
      ...Array(10).fill("resting: until turn 14: it failed or held the thread 3 times in a row"),
      ...Array(2).fill("failed: boom"),
    ]);
  });

  it("AC-46 one that holds the thread is heard, its time is traced, and it rests after 3 overruns", async () => {
    const block = () => {
      const until = performance.now() + 150;
      while (performance.now() < until);
      return [{ data: {} }];
    };
    const session = openSession({
      attachments: [speaking("blocking", { trigger: block }), speaking("behind")],
    });
    const turns: Turn[] = [];
    for (let count = 1; count <= 4; count++) turns.push(await answered(session));
    expect(turns.map((turn) => says(turn, "blocking"))).toEqual([true, true, true, false]);
    expect(turns.every((turn) => says(turn, "behind"))).toBe(true);
    expect(turns[0]?.trace.find(({ type }) => type === "blocking")?.ms).toBeGreaterThanOrEqual(140);
    expect(outcomeOf(turns[3] as Turn, "blocking")).toBe(
      "resting: until turn 14: it failed or held the thread 3 times in a row",
    );
  });

  it.each<[string, (fact: Record<string, unknown>) => void]>([
    ["sets a field", (fact) => Object.assign(fact, { pending: undefined })],
    [
      "deletes all fields",
      (fact) => {
        for (const key of Object.keys(fact)) delete fact[key];
      },
    ],
  ])("AC-4 a trigger that %s of a fact", async (_, change) => {
    const spoiling = speaking("spoiling", {
      needs: ["prompts"],
      trigger({ prompts }: { prompts: Record<string, unknown> }) {
        change(prompts);
        return { skip: "nothing" };
      },
    });
    const session = openSession({ attachments: [spoiling] });
    await session.turn();
    for (const id of ["q1", "q2"]) {
      await session.record({ type: "prompt_queued", id, prompt: `Mind ${id}.` });
      const turn = await answered(session);
      expect([turn.problem, says(turn, "queued_command")]).toEqual([undefined, true]);
    }
    await session.close();
  });
});

describe("a source that answers with junk costs only what is told of it", () => {
  it.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["a text of 100 MB", huge],
    ["something circular", () => circular],
    ["functions", () => ({ run: () => 1 })],
    ["a list of 10 000", () => new Array(10_000).fill({ a: 1 })],
    ["a getter that throws", () => trap],
    ["another shape", () => 7],
  ])("AC-4 %s", async (_, answer) => {
    const session = sessionOf([telling("odd", answer), telling("fine", () => "here")], {
      critical_instruction: "Run the tests.",
    });
    const turn = await session.turn();
    expect(turn.problem).toBeUndefined();
    expect(turn.reminders.map(({ type }) => type).filter((type) => type !== "tells_odd")).toEqual([
      "critical_system_reminder",
      "tells_fine",
    ]);
  });

  it("AC-4 also when it takes the place of a built-in one", async () => {
    for (const answer of [null, "yes", { exists: "perhaps" }, circular]) {
      const source = { fact: "planFile", observe: () => answer as never } as Source;
      const session = openSession({ config: { critical_instruction: "Run the tests." }, sources: [source] });
      await session.record({ type: "mode_changed", mode: "plan" });
      const turn = await session.turn();
      expect(says(turn, "critical_system_reminder")).toBe(true);
    }
  });

  it.each<[string, unknown, string]>([
    ["contextSections", 42, "contextSections: expected an object, got number"],
    ["contextSections", "git status", "contextSections: expected an object, got string"],
    ["contextSections", undefined, "contextSections: expected an object, got undefined"],
    ["contextSections", ["clean"], "contextSections: expected an object, got an array"],
    ["contextSections", { git: 7 }, "contextSections.git: expected string, got 7"],
    ["projectContext", { files: "all" }, 'projectContext.files: expected Array, got "all"'],
  ])("AC-4 and the trace says which source: %s, %j", async (fact, answer, problem) => {
    const source = { fact, observe: () => answer } as unknown as Source;
    const session = openSession({ config: { critical_instruction: "Run the tests." }, sources: [source] });
    const turn = await session.turn();
    expect(outcomeOf(turn, "project_context")).toBe(
      `failed: the source of ${fact} failed: it returned junk: ${problem}`,
    );
    expect(says(turn, "critical_system_reminder")).toBe(true);
  });
});

it("AC-4 nothing of what went wrong is in the log", async () => {
  const store = createMemoryStore();
  const session = openSession({
    id: "s1",
    store,
    attachments: [
      speaking("odd", { trigger: () => [{ data: circular }] }),
      speaking("large", { render: huge }),
    ],
  });
  await answered(session);
  const { entries } = await store.read("s1", 0);
  expect(JSON.stringify(entries).length).toBeLessThan(10_000);
  expect(entries.filter(({ kind }) => kind === "delivery")).toEqual([]);
});

function boom(): never {
  throw new Error("boom");
}

function rethrow(what: unknown): never {
  throw what;
}

function unreadable(key: string): object {
  return Object.defineProperty({}, key, {
    get: () => {
      throw new Error("do not read");
    },
  });
}

function selfContaining(): unknown {
  const parts: unknown[] = ["x"];
  parts.push({ tag: "x", content: parts, lines: false });
  return parts;
}
