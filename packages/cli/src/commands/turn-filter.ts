// The entries of one turn: what happened since the turn before, the turn, what it said and what became of that.

import type { Entry } from "sotto";

export interface TurnFilter {
  /** Entries in order; gives those that are known to belong to the turn by now. */
  take(entry: Entry): Entry[];
  found(): boolean;
  /** In words, which turns there are. */
  last(): string;
}

export function createTurnFilter(turn: number): TurnFilter {
  const said = new Set<string>();
  let before: Entry[] = [];
  let isFound = false;
  let last = 0;
  return {
    take(entry) {
      if (entry.kind === "event") {
        before.push(entry);
        return [];
      }
      if (entry.kind === "turn") {
        const events = before;
        before = [];
        last = Math.max(last, entry.turn);
        if (entry.turn !== turn) return [];
        isFound = true;
        return [...events, entry];
      }
      const key = `${entry.id}@${entry.branch}`;
      if (entry.state === "offered" && entry.turn === turn) said.add(key);
      return said.has(key) ? [entry] : [];
    },
    found: () => isFound,
    last: () => (last === 0 ? "none yet" : last === 1 ? "turn 1" : `turns 1 to ${last}`),
  };
}
