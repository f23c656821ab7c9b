// How much of the context window and of the budget is used.

import { slice } from "./slice.ts";

export interface UsageFact {
  reported?: { usedTokens: number; totalTokens: number; usedUsd?: number };
  /** The latest report is from before the latest compaction. */
  outdated?: true;
  /** The latest reported spending. */
  spentUsd?: number;
  /**
   * The lowest usage of the window, in percent, since each of these entries, rising. Used to look up how low it fell
   * since something was sent.
   */
  lows: { seq: number; percent: number }[];
  /** Entries at which spending fell, and to what, rising. Rare, as it mostly grows. */
  fallsUsd: { seq: number; usd: number }[];
}

export const usage = slice({
  initial: (): UsageFact => ({ lows: [], fallsUsd: [] }),
  on: ["usage_reported", "compacted"],
  apply(state, event, { seq }) {
    if (event.type === "compacted" && state.reported !== undefined) state.outdated = true;
    if (event.type !== "usage_reported") return;
    delete state.outdated;
    const { usedTokens, totalTokens, addedUsd } = event;
    const total = addedUsd === undefined ? undefined : (state.spentUsd ?? 0) + addedUsd;
    const { usedUsd = total } = event;
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
});

/** The lowest usage reported since an entry, in percent. */
export function lowestSince(fact: UsageFact, seq: number): number | undefined {
  return fact.lows.find((low) => low.seq >= seq)?.percent;
}

/** The lowest spending since an entry, if it fell. */
export function lowestUsdSince(fact: UsageFact, seq: number): number | undefined {
  return fact.fallsUsd.find((fall) => fall.seq >= seq)?.usd;
}
