// Anchors: where in a history a reminder was put.

import type { History } from "./history.ts";

/** The place behind a block. */
export interface Anchor {
  /** A rolling hash over all blocks before it. */
  hash: string;
  /** How many blocks stand before it. */
  blocks: number;
}

export function anchorAt(history: History, count: number): Anchor {
  return { hash: history.rolling[count] ?? "", blocks: count };
}
