// Moments as people write them.

import { expect, test } from "vitest";
import { parseSince } from "./arguments.ts";

const now = Date.parse("2026-11-15T12:00:00Z");

test.each([
  ["30m", now - 30 * 60_000],
  ["12h", now - 12 * 3_600_000],
  ["7d", now - 7 * 86_400_000],
  ["2w", now - 14 * 86_400_000],
  ["2026-11-01", new Date(2026, 10, 1).getTime()],
  ["2026-11-01T08:30", new Date(2026, 10, 1, 8, 30).getTime()],
  ["2026-11-01T08:30:00Z", Date.UTC(2026, 10, 1, 8, 30)],
])("%s", (text, at) => {
  expect(parseSince(text, now)).toBe(at);
});

test.each(["", "yesterday", "7", "7y", "2026-13-01", "2026-02-30T99:00"])(
  "%s is refused in words",
  (text) => {
    expect(() => parseSince(text, now)).toThrow(`--since ${text}: expected a day`);
  },
);
