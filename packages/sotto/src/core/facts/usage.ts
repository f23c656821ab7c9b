// How much of the window and of the budget is used.

import type { Slice } from "./slice.ts";

export interface UsageFact {
  reported?: { usedTokens: number; totalTokens: number; usedUsd?: number };
  /**
   * Lowest share of the window, in percent, seen since each of these entries, rising: how low it fell since
   * something was said is a look-up.
   */
  lows: { seq: number; percent: number }[];
}

export const usage: Slice<UsageFact> = {
  initial: () => ({ lows: [] }),
  apply(state, event, { seq }) {
    if (event.type !== "usage_reported") return;
    const { usedTokens, totalTokens, usedUsd } = event;
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
