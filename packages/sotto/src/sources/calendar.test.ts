import { expect, it } from "vitest";
import { createCalendarSource } from "./built-in.ts";
import type { TurnInfo } from "./source.ts";

const observe = (now: Date, at?: Date) => {
  const facts = { start: at === undefined ? {} : { at: at.toISOString() } };
  const source = createCalendarSource({ now: () => now.getTime() });
  return source.observe({ facts } as unknown as TurnInfo, new AbortController().signal);
};

it("tells dates as the user's calendar has them, whatever the hour", () => {
  const lateOnFriday = new Date(2026, 0, 2, 23, 59, 59);
  const earlyOnSaturday = new Date(2026, 0, 3, 0, 0, 1);
  expect(observe(earlyOnSaturday, lateOnFriday)).toEqual({ today: "2026-01-03", start: "2026-01-02" });
  expect(observe(lateOnFriday, new Date(2026, 0, 2, 0, 0, 0))).toEqual({
    today: "2026-01-02",
    start: "2026-01-02",
  });
});

it("takes today where the beginning is not known", () => {
  expect(observe(new Date(2026, 10, 15))).toEqual({ today: "2026-11-15", start: "2026-11-15" });
});
