import { describe, expect, it } from "vitest";
import { type ThrottleInput, throttled } from "./throttle.ts";

const ask = (rule: ThrottleInput["rule"], rest: Partial<ThrottleInput> = {}) =>
  throttled({ rule, now: 0, since: undefined, sent: [], total: 0, ...rest });

describe("without a rule", () => {
  it("nothing holds it back", () => {
    expect(ask({}, { now: 3, sent: [3, 3], total: 9, since: 3 })).toBeUndefined();
  });
});

describe("minTurnsBetween", () => {
  it("AC-7 counts from the last time it was said", () => {
    expect(ask({ minTurnsBetween: 3 }, { now: 7, sent: [1, 5] })).toBe(
      "2 of 3 turns since it was last sent, 1 to go",
    );
    expect(ask({ minTurnsBetween: 3 }, { now: 8, sent: [1, 5] })).toBeUndefined();
  });

  it("does not hold the first time", () => {
    expect(ask({ minTurnsBetween: 3 }, { now: 0 })).toBeUndefined();
  });
});

describe("minTurnsAfterTrigger", () => {
  it("AC-8 holds the first time, too", () => {
    const rule = { minTurnsAfterTrigger: 5, sinceWhat: "the todo list was written" };
    expect(ask(rule, { now: 4, since: 0 })).toBe("4 of 5 turns since the todo list was written, 1 to go");
    expect(ask(rule, { now: 5, since: 0 })).toBeUndefined();
    expect(ask(rule, { now: 5, since: 3 })).toBe("2 of 5 turns since the todo list was written, 3 to go");
  });

  it("has words of its own where the type has none", () => {
    expect(ask({ minTurnsAfterTrigger: 2 }, { now: 1, since: 0 })).toBe(
      "1 of 2 turns since it was triggered, 1 to go",
    );
  });

  it("does not hold what has no trigger in time", () => {
    expect(ask({ minTurnsAfterTrigger: 5 }, { now: 0 })).toBeUndefined();
  });
});

describe("backsOff", () => {
  const rule = { minTurnsBetween: 3, backsOff: true };
  const gap = (sent: number[], since = 0) => {
    const last = sent.at(-1) ?? 0;
    let now = last;
    while (ask(rule, { now, since, sent }) !== undefined) now++;
    return now - last;
  };

  it("AC-7 doubles the gap each time it was said and nothing came of it", () => {
    expect([gap([5]), gap([5, 8]), gap([5, 8, 14]), gap([5, 8, 14, 26])]).toEqual([3, 6, 12, 24]);
  });

  it("AC-7 begins anew with the trigger", () => {
    expect(gap([5, 8, 14, 30], 20)).toBe(3);
    expect(gap([5, 8, 14], 20)).toBe(3);
  });

  it("stays finite", () => {
    const sent = Array.from({ length: 2000 }, (_, index) => index);
    expect(ask(rule, { now: 2000, since: 0, sent })).toContain(`of ${3 * 2 ** 20} turns`);
  });
});

it("a history that went back behind what was said, or behind the trigger, is at its beginning", () => {
  expect(ask({}, { now: 2, sent: [9], since: 9 })).toBeUndefined();
  expect(ask({ minTurnsBetween: 3 }, { now: 2, sent: [9] })).toBe(
    "0 of 3 turns since it was last sent (the history was rewound to before that), 10 to go",
  );
  expect(ask({ minTurnsAfterTrigger: 5 }, { now: 2, since: 4 })).toBe(
    "0 of 5 turns since it was triggered (the history was rewound to before that), 7 to go",
  );
});

describe("maxPerSession", () => {
  it("AC-10 counts everything ever said, and goes before all else", () => {
    expect(ask({ maxPerSession: 2, minTurnsBetween: 3 }, { now: 9, sent: [9], total: 2 })).toBe(
      "sent 2 of at most 2 times in this session",
    );
    expect(ask({ maxPerSession: 2 }, { total: 1 })).toBeUndefined();
    expect(ask({ maxPerSession: 0 })).toBe("sent 0 of at most 0 times in this session");
  });
});
