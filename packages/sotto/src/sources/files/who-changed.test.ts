import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StoredEvent } from "../../facts/events.ts";
import { type Work, type WorkFact, work } from "../../facts/work.ts";
import { whoChanged } from "./who-changed.ts";

const plain = (text: string) => text;
const command = (name: string, from?: number, to?: number): Work => ({
  id: name,
  kind: "command",
  name,
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
});
const who = (at: number, ...latest: Work[]) =>
  whoChanged({ changed: [at], seen: 0, found: 10 ** 7 }, latest, plain);

describe("who changed a file", () => {
  it("AC-54 is whose time covers the change: one is sure, several are possible, none is somebody else", () => {
    const moment = fc.integer({ min: 1, max: 1000 }).map((at) => at * 100 + 1);
    const span = fc.tuple(moment, moment).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
    fc.assert(
      fc.property(moment, fc.array(span, { maxLength: 3 }), (at, spans) => {
        const latest = spans.map(([from, to], index) => command(`c${index}`, from, to));
        const covering = latest.filter(({ from = 0, to = 0 }) => at >= from && at <= to);
        const names = covering.map(({ name }) => `your command \`${name}\``).join(" or ");
        const expected =
          covering.length === 0
            ? {}
            : covering.length === 1
              ? { cause: names }
              : { cause: names, unsure: true };
        expect(who(at, ...latest)).toEqual(expected);
      }),
    );
  });

  it("what began and ended in the same moment, and a task at its borders, is only possible", () => {
    const span = fc.record({
      kind: fc.constantFrom("command", "task", "tool", "hook"),
      // No whole seconds: these may come from a coarse clock.
      from: fc.integer({ min: 1, max: 1000 }).map((at) => at * 1000 + 500),
      length: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 20, max: 100 })),
      offset: fc.integer({ min: -1150, max: 30 }).map((tenths) => tenths / 10),
    });
    fc.assert(
      fc.property(span, ({ kind, from, length, offset }) => {
        const to = from + length;
        const at = to + offset;
        const { cause, unsure } = who(at, { id: "x", kind, name: "x", from, to } as Work);
        const isPossible = at >= from - 10 && at <= to + 1;
        const isSure = kind === "task" ? at >= from + 1 && at + 10 <= to : length > 1;
        const expected = { named: isPossible, unsure: isPossible && !isSure };
        expect({ named: cause !== undefined, unsure: unsure === true }).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, Work, object]>([
    ["without a beginning", command("make", undefined, 2001), { cause: "your command `make`", unsure: true }],
    ["without an end", command("make", 1001), { cause: "your command `make`", unsure: true }],
    ["without an end, long ago", command("make", 1501 - 600_010), {}],
    ["that ended before", command("make", undefined, 1401), {}],
    ["that records what it writes", { ...command("a1 (Look)", 1), kind: "agent", recordsWrites: true }, {}],
    [
      "of an agent that works by itself",
      { ...command("a1 (Look)", 1), kind: "agent" },
      { cause: "your background agent a1 (Look)", unsure: true },
    ],
  ])("%s", (_, one, expected) => {
    expect(who(1501, one)).toEqual(expected);
  });

  it("is possible where two times of a file tell different things, or whole seconds are all there is", () => {
    const make = command("make", 1001, 2001);
    const at = (changed: number[], seen = 0) =>
      whoChanged({ changed, seen, found: 10 ** 7 }, [make], plain).unsure;
    expect([at([1500, 5001]), at([500, 1501]), at([500, 1501], 600), at([2000])]).toEqual([
      true,
      true,
      undefined,
      true,
    ]);
  });

  it("is not decided by a time that cannot be", () => {
    const make = command("make", 1001, 2001);
    const at = (changed: number[]) => whoChanged({ changed, seen: 0, found: 5000 }, [make], plain);
    expect(at([9_000_001])).toEqual({ cause: "your command `make`", unsure: true });
    expect(at([9_000_001, 1501])).toEqual({ cause: "your command `make`" });
    expect(at([9_000_001, 3001])).toEqual({});
  });

  it("is quoted in one line, short, without what is secret", () => {
    const long = `echo\n\`date\` SECRET ${"x".repeat(500)}`;
    const { cause = "" } = whoChanged(
      { changed: [1501], seen: 0, found: 5000 },
      [command(long, 1001, 2001)],
      (text) => text.replace("SECRET", "[hidden]"),
    );
    expect(cause.length).toBeLessThan(150);
    expect(cause).toMatch(/^your command `echo 'date' \[hidden\] x+…`$/u);
  });
});

describe("what ran", () => {
  const fold = (...events: StoredEvent[]): Work[] => {
    const fact: WorkFact = work.initial();
    for (const [seq, event] of events.entries())
      work.apply(fact, event, { seq, at: iso(seq * 1000), turns: 0, supersede: () => undefined });
    return fact.latest;
  };
  const iso = (ms: number) => new Date(ms).toISOString();
  const ran = (rest: object): StoredEvent => ({ type: "command_ran", id: "c", command: "make", ...rest });

  it("is one command from its beginning to its end, also where the agent gives it two ids", () => {
    const whole = [{ id: "command c", kind: "command", name: "make", from: 5, to: 7 }];
    expect(fold(ran({ startedAt: iso(5) }), ran({ endedAt: iso(7) }))).toEqual(whole);
    expect(fold(ran({ startedAt: iso(5) }), ran({ id: "d", endedAt: iso(7) }))).toEqual(whole);
    expect(fold(ran({ startedAt: iso(5), endedAt: iso(7) }))).toEqual(whole);
  });

  it("with a time that is none has none, and without one is over when it was recorded", () => {
    expect(fold(ran({ startedAt: "2026-02-31T99:99:99Z", endedAt: iso(7) }))).toEqual([
      { id: "command c", kind: "command", name: "make", to: 7 },
    ]);
    expect(fold(ran({}))).toEqual([{ id: "command c", kind: "command", name: "make", to: 0 }]);
  });

  it("is kept of the latest only", () => {
    const many = Array.from({ length: 500 }, (_, at) => ran({ id: `c${at}`, command: `c${at}` }));
    expect(fold(...many)).toHaveLength(200);
  });
});
