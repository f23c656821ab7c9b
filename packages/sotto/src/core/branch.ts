// Which branch of the session a history belongs to, and how far the conversation has come on it.

import type { Finder } from "./anchor.ts";
import type { SettledAt } from "./edge.ts";
import { assistantsBehind, type History } from "./history.ts";
import type { State } from "./state.ts";
import type { Branch, Head } from "./tree.ts";

export interface BranchChoice {
  id: string;
  parent?: { branch: string; turn: number };
  fresh: boolean;
  /** The turn this history was asked about before, where it is a retry. */
  retryOf?: number;
  assistantTurns: number;
}

/**
 * The branch whose latest history this one extends; else a new branch off the latest turn it shares; else (it
 * shares nothing: compacted without a word, or another conversation) one whose view begins anew.
 */
export function chooseBranch(state: State, history: History, finder: Finder): BranchChoice {
  const current = state.branches[state.current] as Branch;
  const answers = assistantsBehind(history, 0);
  if (current.heads.length === 0) return stay(state, current, Math.max(state.facts.turns.assistant, answers));
  const best = bestMatch(state, history, finder);
  if (best === undefined && history.kept !== undefined) return goOn(state, history, current);
  if (best === undefined)
    return {
      id: `fresh-${state.seq}`,
      parent: heardSoFar(current),
      fresh: true,
      assistantTurns: state.facts.turns.assistant + Math.min(1, answers),
    };
  const { branch, head, position } = best;
  const assistantTurns = head.assistantTurns + assistantsBehind(history, position);
  if (head !== branch.heads.at(-1))
    return {
      id: `branch-${state.seq}`,
      parent: { branch: branch.id, turn: head.turn },
      fresh: false,
      assistantTurns,
    };
  const choice = stay(state, branch, assistantTurns);
  return position === history.end ? { ...choice, retryOf: head.turn } : choice;
}

/**
 * The provider keeps the rest. Words that went on from the same answer before, and were others, are another branch;
 * else the conversation goes on where it is.
 */
function goOn(state: State, history: History, current: Branch): BranchChoice {
  const answers = assistantsBehind(history, 0);
  const siblings = Object.values(state.branches).flatMap((branch) =>
    branch.heads.filter(({ kept }) => kept === history.kept).map((head) => ({ branch, head })),
  );
  const sibling = siblings.sort((a, b) => b.head.turn - a.head.turn)[0];
  if (sibling === undefined)
    return stay(state, current, (current.heads.at(-1) as Head).assistantTurns + answers);
  const { branch, head } = sibling;
  return {
    id: `branch-${state.seq}`,
    parent: { branch: branch.id, turn: head.turn - 1 },
    fresh: false,
    assistantTurns: head.assistantTurns,
  };
}

/** How a branch looks back on what was said there and on the branches it came from. */
export interface Lineage {
  heard(at: SettledAt): boolean;
  /** Heard, and no compaction or new beginning lies between. */
  sees(at: SettledAt): boolean;
  /** Whether the model's view began anew somewhere. */
  compacted: boolean;
  /** The entry it last began anew with. */
  since?: number;
}

export function lineageOf(state: State, { id, parent, fresh }: BranchChoice): Lineage {
  const heard = new Map<string, number>([[id, Number.POSITIVE_INFINITY]]);
  const seen = new Map(heard);
  let since = fresh ? (state.branches[id]?.freshAt ?? state.seq) : undefined;
  let limit = Number.POSITIVE_INFINITY;
  for (let at = parent; at !== undefined && !heard.has(at.branch); at = state.branches[at.branch]?.parent) {
    limit = Math.min(limit, at.turn);
    heard.set(at.branch, limit);
    if (since === undefined) seen.set(at.branch, limit);
    since ??= beganAnew(state.branches[at.branch]);
  }
  const within = (reach: Map<string, number>) => (at: SettledAt) => at.turn <= (reach.get(at.branch) ?? -1);
  return {
    heard: within(heard),
    sees: within(seen),
    compacted: since !== undefined,
    ...(since === undefined ? {} : { since }),
  };
}

function beganAnew(branch: Branch | undefined): number | undefined {
  return branch?.fresh ? (branch.freshAt ?? 0) : undefined;
}

// How many heads back one may be that a head is in step with.
const HEADS_BACK = 8;

interface Match {
  branch: Branch;
  head: Head;
  position: number;
  /** Beyond doubt: all before it is as it was, or what makes it look alike cannot be by chance. */
  sure: boolean;
}

/** What only looks alike counts where nothing is sure. */
function bestMatch(state: State, history: History, finder: Finder): Match | undefined {
  const matches = Object.values(state.branches).flatMap((branch) => matchesOn(branch, history, finder));
  const sure = matches.filter((match) => match.sure);
  return (sure.length > 0 ? sure : matches).sort((a, b) => rank(b, state) - rank(a, state))[0];
}

/** The latest head of a branch that this history has, and the latest that it has for sure. */
function matchesOn(branch: Branch, history: History, finder: Finder): Match[] {
  const matches: Match[] = [];
  for (let index = branch.heads.length - 1; index >= 0; index--) {
    const head = branch.heads[index] as Head;
    const { tail = [] } = head;
    const position = finder.find(head.anchor) ?? finder.behind(tail);
    if (position === undefined || position === 0) continue;
    const sure =
      finder.endsWith(tail, position) ||
      finder.exact(head.anchor) !== undefined ||
      isInStep(
        { head, position, earlier: branch.heads.slice(Math.max(0, index - HEADS_BACK), index) },
        finder,
      ) ||
      isNoChance({ head, position, before: branch.heads[index - 1] }, history, finder);
    if (matches.length === 0 || sure) matches.push({ branch, head, position, sure });
    if (sure) break;
  }
  return matches;
}

/** Two heads that look alike, as far apart as they were: the one right before may be gone with a result. */
function isInStep(
  { head, position, earlier }: { head: Head; position: number; earlier: readonly Head[] },
  finder: Finder,
): boolean {
  return earlier.some(({ anchor }) => {
    const place = finder.find(anchor);
    const distance = head.anchor.blocks - anchor.blocks;
    return (
      place !== undefined &&
      distance > 0 &&
      position - place === distance &&
      finder.exact(anchor) === undefined
    );
  });
}

/**
 * An old result was pruned, or the window slid: the fingerprint still matches. Short words do so by chance, in a
 * history that was edited further up; calls do not, nor does one head in the right distance behind another.
 */
function isNoChance(
  { head, position, before }: { head: Head; position: number; before: Head | undefined },
  history: History,
  finder: Finder,
): boolean {
  const earlier = before === undefined ? undefined : finder.find(before.anchor);
  const follows =
    before !== undefined &&
    earlier !== undefined &&
    position - earlier === head.anchor.blocks - before.anchor.blocks;
  if (follows && finder.exact(before.anchor) === undefined) return true;
  const from = follows ? earlier : Math.max(0, position - 2);
  return history.chain.slice(from, position).some(({ kind }) => kind === "call" || kind === "result");
}

function rank({ branch, head, position }: Match, state: State): number {
  const isLatest = head === branch.heads.at(-1) ? 0.5 : 0;
  const isCurrent = branch.id === state.current ? 0.25 : 0;
  return position + isLatest + isCurrent;
}

/**
 * What a conversation that shares nothing with this one may be taken to know: all of it, as its summary. But
 * nobody sums up what was never answered: then they have nothing to do with each other.
 */
function heardSoFar({ id, heads }: Branch): { branch: string; turn: number } {
  const [first, last] = [heads[0] as Head, heads.at(-1) as Head];
  return { branch: id, turn: last.assistants === 0 ? first.turn - 1 : last.turn };
}

function stay(state: State, branch: Branch, assistantTurns: number): BranchChoice {
  const known = state.branches[branch.id];
  return {
    id: branch.id,
    fresh: branch.fresh,
    assistantTurns,
    ...(known?.parent === undefined ? {} : { parent: known.parent }),
  };
}
