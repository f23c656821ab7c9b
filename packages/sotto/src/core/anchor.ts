// Anchors: where in a history a reminder stands, found again when the same history comes back.

import type { History } from "./history.ts";

/** The place behind a block: a rolling hash over all blocks before it, and a fingerprint of the last two. */
export interface Anchor {
  hash: string;
  fingerprint: string;
  /** How many blocks stand before it. */
  blocks: number;
}

export function anchorAt(history: History, count: number): Anchor {
  return { hash: history.rolling[count] ?? "", fingerprint: fingerprintAt(history, count), blocks: count };
}

export interface Finder {
  /** How many blocks stand before the anchor in this history; nothing where it is not in it. */
  find(anchor: Anchor): number | undefined;
  /** The same where everything before it is as it was. */
  exact(anchor: Anchor): number | undefined;
}

/**
 * By rolling hash first. Where that fails (an old tool result was pruned, the window slid) the fingerprint places
 * it, provided it matches exactly once.
 */
export function createFinder(history: History): Finder {
  let fingerprints: Map<string, number | "several"> | undefined;
  const exact = (anchor: Anchor) => history.positions.get(anchor.hash);
  return {
    exact,
    find(anchor) {
      const place = exact(anchor);
      // Behind what the provider keeps nothing earlier can stand, however alike it looks.
      if (place !== undefined || history.kept !== undefined) return place;
      if (anchor.blocks === 0) return 0;
      fingerprints ??= allFingerprints(history);
      const likely = fingerprints.get(anchor.fingerprint);
      return typeof likely === "number" ? likely : undefined;
    },
  };
}

function allFingerprints(history: History): Map<string, number | "several"> {
  const map = new Map<string, number | "several">();
  for (let count = 1; count <= history.chain.length; count++) {
    const print = fingerprintAt(history, count);
    map.set(print, map.has(print) ? "several" : count);
  }
  return map;
}

function fingerprintAt(history: History, count: number): string {
  return `${history.chain[count - 2]?.hash ?? "^"}.${history.chain[count - 1]?.hash ?? "^"}`;
}
