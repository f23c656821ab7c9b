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
  /** Where the blocks of a tail end, though the results that end it may be others now. */
  behind(tail: readonly string[]): number | undefined;
  /** Whether a call or a result of a tail that ends there is as it was, and all behind it, changed results aside. */
  endsWith(tail: readonly string[], position: number): boolean;
}

// A turn's results, and the calls they answer.
const TAIL_MOST = 8;

/** The last blocks before a place. */
export function tailAt({ chain }: History, count: number): string[] {
  return chain.slice(Math.max(0, count - TAIL_MOST), count).map(shortHash);
}

/**
 * By rolling hash first. Where that fails (an old tool result was pruned, the window slid) the fingerprint places
 * it, provided it matches exactly once.
 */
export function createFinder(history: History): Finder {
  let fingerprints: Map<string, number | "several"> | undefined;
  let blocks: Map<string, number | "several"> | undefined;
  const exact = (anchor: Anchor) => history.positions.get(anchor.hash);
  return {
    exact,
    behind(tail) {
      if (history.kept !== undefined) return undefined;
      blocks ??= once(history, (count) => shortHash(history.chain[count - 1]));
      for (const [back, hash] of tail.toReversed().entries()) {
        const place = blocks.get(hash);
        if (typeof place !== "number") continue;
        const between = history.chain.slice(place, place + back);
        const isPruned = between.length === back && between.every(({ kind }) => kind === "result");
        return isPruned && isTool(history.chain[place - 1]) ? place + back : undefined;
      }
      return undefined;
    },
    endsWith(tail, position) {
      for (const [back, hash] of tail.toReversed().entries()) {
        const block = history.chain[position - 1 - back];
        const isSame = shortHash(block) === hash;
        if (isSame && isTool(block)) return true;
        if (!isSame && block?.kind !== "result") return false;
      }
      return false;
    },
    find(anchor) {
      const place = exact(anchor);
      // Behind what the provider keeps nothing earlier can stand, however alike it looks.
      if (place !== undefined || history.kept !== undefined) return place;
      if (anchor.blocks === 0) return 0;
      fingerprints ??= once(history, (count) => fingerprintAt(history, count));
      const likely = fingerprints.get(anchor.fingerprint);
      return typeof likely === "number" ? likely : undefined;
    },
  };
}

/** With an id of its own: no other looks like it. */
function isTool(block: { kind: string } | undefined): boolean {
  return block?.kind === "call" || block?.kind === "result";
}

function shortHash(block: { hash: string } | undefined): string {
  return block?.hash.slice(0, 16) ?? "";
}

/** Where each print is, and which are in several places. */
function once({ chain }: History, printAt: (count: number) => string): Map<string, number | "several"> {
  const map = new Map<string, number | "several">();
  for (let count = 1; count <= chain.length; count++) {
    const print = printAt(count);
    map.set(print, map.has(print) ? "several" : count);
  }
  return map;
}

function fingerprintAt(history: History, count: number): string {
  return `${history.chain[count - 2]?.hash ?? "^"}.${history.chain[count - 1]?.hash ?? "^"}`;
}
