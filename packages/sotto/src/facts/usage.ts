// How much of the window and of the budget is used.

import type { Slice } from "./slice.ts";

export interface UsageFact {
  reported?: { usedTokens: number; totalTokens: number; usedUsd?: number };
  /** What was reported is from before the latest compaction: how much is used now, nobody has said yet. */
  outdated?: true;
  /** What was spent, as far as it was ever reported. */
  spentUsd?: number;
  /**
   * Lowest share of the window, in percent, seen since each of these entries, rising: how low it fell since
   * something was said is a look-up.
   */
  lows: { seq: number; percent: number }[];
  /** What was spent fell to this, with these entries, rising; it mostly grows, and the budget is not known here. */
  fallsUsd: { seq: number; usd: number }[];
}

export const usage: Slice<UsageFact> = {
  initial: () => ({ lows: [], fallsUsd: [] }),
  apply(state, event, { seq }) {
    if (event.type === "compacted" && state.reported !== undefined) state.outdated = true;
    if (event.type !== "usage_reported") return;
    delete state.outdated;
    const { usedTokens, totalTokens, usedUsd } = event;
    if (usedUsd !== undefined && usedUsd < (state.spentUsd ?? 0)) {
      while ((state.fallsUsd.at(-1)?.usd ?? -1) >= usedUsd) state.fallsUsd.pop();
      state.fallsUsd.push({ seq, usd: usedUsd });
    }
    if (usedUsd !== undefined) state.spentUsd = usedUsd;
    state.reported = { usedTokens, totalTokens, ...(usedUsd === undefined ? {} : { usedUsd }) };
    const percent = totalTokens === 0 ? 0 : Math.floor((100 * usedTokens) / totalTokens);
    while ((state.lows.at(-1)?.percent ?? -1) >= percent) state.lows.pop();
    state.lows.push({ seq, percent });
  },
};

/** The lowest share reported since an entry, in percent. */
export function lowestSince(fact: UsageFact, seq: number): number | undefined {
  return fact.lows.find((low) => low.seq >= seq)?.percent;
}

/** The lowest that spending fell to since an entry, where it fell. */
export function lowestUsdSince(fact: UsageFact, seq: number): number | undefined {
  return fact.fallsUsd.find((fall) => fall.seq >= seq)?.usd;
}
