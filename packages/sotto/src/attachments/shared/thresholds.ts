// Thresholds: a share that grows is reported when it crosses one.

import * as v from "valibot";

const THRESHOLDS = [50, 75, 90, 95];
const percent = v.pipe(v.number(), v.minValue(1), v.maxValue(100));

export const thresholdOptions = v.object({
  every_turn: v.optional(v.boolean(), false),
  thresholds: v.optional(v.array(percent), THRESHOLDS),
});

/** "50, 75, 90 or 95%" */
export const usualThresholds = `${THRESHOLDS.slice(0, -1).join(", ")} or ${THRESHOLDS.at(-1)}%`;

export interface Crossing {
  thresholds: readonly number[];
  /** Percentages: now, and when it was last sent if that is in view. */
  now: number;
  before?: number | undefined;
  /** The lowest since then. */
  fellTo?: number | undefined;
}

/** The reason to skip; undefined when a threshold was crossed. The first value above one counts as a crossing. */
export function notCrossed({ thresholds, now, before, fellTo = now }: Crossing): string | undefined {
  const crossed = highest(thresholds, now);
  if (crossed === undefined) {
    const first = thresholds.length === 0 ? "not set" : `${Math.min(...thresholds)}%`;
    return `${now}% used, the first threshold is ${first}`;
  }
  if (before === undefined || crossed > (highest(thresholds, Math.min(before, fellTo)) ?? 0))
    return undefined;
  return `${now}% used, the ${crossed}% threshold was reported at ${before}%`;
}

export function percentOf(used: number, total: number): number {
  return Math.floor((100 * used) / total);
}

function highest(thresholds: readonly number[], value: number): number | undefined {
  const passed = thresholds.filter((threshold) => value >= threshold);
  return passed.length === 0 ? undefined : Math.max(...passed);
}
