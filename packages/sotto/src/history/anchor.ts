// Anchors: where in a history a reminder was put.

import type { History } from "./history-of-core.ts";
import type { Anchor } from "../log/entries.ts";

export function anchorAt(history: History, count: number): Anchor {
  return { hash: history.rolling[count] ?? "", blocks: count };
}
