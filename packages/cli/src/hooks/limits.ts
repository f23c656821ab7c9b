// How much an agent takes at once, in the way it counts.

import { estimateTokens } from "sotto";

export interface Limit {
  /** For people. */
  words: string;
  fits(text: string): boolean;
  /** What the engine may spend on each kind of reminder: one that is larger is cut by it, with a word about the rest. */
  tokens: number;
}

export function characters(most: number): Limit {
  return {
    words: `${most} characters`,
    fits: (text) => text.length <= most,
    tokens: Math.floor(most / 4.9),
  };
}

/** By the larger of two estimates: four bytes each, and ours. */
export function bytesAndTokens(most: number): Limit {
  return {
    words: `${most} tokens`,
    fits: (text) => Buffer.byteLength(text) <= most * 4 && estimateTokens(text) <= most,
    tokens: Math.floor(most * 0.82),
  };
}
