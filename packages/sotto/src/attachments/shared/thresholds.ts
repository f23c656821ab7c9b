// Thresholds: a share that grows is worth a word when it crosses one.

export interface Crossing {
  thresholds: readonly number[];
  /** Shares in percent: now, and when it was last said, where that is in view. */
  now: number;
  before?: number | undefined;
  /** The lowest since then. */
  fellTo?: number | undefined;
}

/** Why there is nothing to say; nothing where a threshold was crossed. The first sight above one is a crossing. */
export function notCrossed({ thresholds, now, before, fellTo = now }: Crossing): string | undefined {
  const crossed = highest(thresholds, now);
  if (crossed === undefined) {
    const first = thresholds.length === 0 ? "not set" : `${Math.min(...thresholds)} %`;
    return `${now} % used, the first threshold is ${first}`;
  }
  if (before === undefined || crossed > (highest(thresholds, Math.min(before, fellTo)) ?? 0))
    return undefined;
  return `${now} % used, the threshold of ${crossed} % was said at ${before} %`;
}

export function percentOf(used: number, total: number): number {
  return Math.floor((100 * used) / total);
}

function highest(thresholds: readonly number[], value: number): number | undefined {
  const passed = thresholds.filter((threshold) => value >= threshold);
  return passed.length === 0 ? undefined : Math.max(...passed);
}
