// A moment in the past as people write it: a day, a time, or how long ago.

import { wrongUse } from "../../../agent/src/terminal/failure.ts";

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Milliseconds since the epoch. A day alone begins at midnight here. */
export function parseSince(text: string, now: number): number {
  const [, amount, unit = ""] = /^(\d{1,6})([mhdw])$/u.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * (UNITS[unit] ?? 0);
  const isDay = /^\d{4}-\d{2}-\d{2}$/u.test(text);
  const at = /^\d{4}-\d{2}-\d{2}/u.test(text) ? Date.parse(isDay ? `${text}T00:00` : text) : Number.NaN;
  if (Number.isNaN(at))
    throw wrongUse(
      `--since ${text}: expected a day (2026-11-01), a time (2026-11-01T08:30) or 30m, 12h, 7d, 4w`,
    );
  return at;
}
