// Which branch of the session a history belongs to, and how far the conversation has come on it.

import type { Finder } from "./anchor.ts";
import type { SettledAt } from "./edge.ts";
import { type History, totalAssistants } from "./history.ts";
import type { Branch, Head, State } from "./state.ts";

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
  if (current.heads.length === 0) return stay(state, current, firstCount(state, history));
  const matches = Object.values(state.branches)
    .map((branch) => deepest(branch, finder))
    .filter((match) => match !== undefined);
  const best = matches.sort((a, b) => rank(b, state) - rank(a, state))[0];
  if (best === undefined) {
    const parent = { branch: current.id, turn: current.heads.at(-1)?.turn ?? state.turn };
    return {
      id: `fresh-${state.seq}`,
      parent,
      fresh: true,
      assistantTurns: state.facts.turns.assistant + Math.min(1, totalAssistants(history)),
    };
  }
  const { branch, head, position } = best;
  const added = totalAssistants(history) - (history.assistants[position] ?? 0);
  const assistantTurns = head.assistantTurns + added;
  if (head !== branch.heads.at(-1))
    return {
      id: `branch-${state.seq}`,
      parent: { branch: branch.id, turn: head.turn },
      fresh: false,
      assistantTurns,
    };
  const choice = stay(state, branch, assistantTurns);
  return position === history.chain.length ? { ...choice, retryOf: head.turn } : choice;
}

/** Whether something said there was heard on this branch. */
export function heardOn(state: State, choice: { id: string; parent?: { branch: string; turn: number } }) {
  const reach = new Map<string, number>([[choice.id, Number.POSITIVE_INFINITY]]);
  let parent = choice.parent ?? state.branches[choice.id]?.parent;
  while (parent !== undefined && !reach.has(parent.branch)) {
    const limit = Math.min(parent.turn, ...reach.values());
    reach.set(parent.branch, limit);
    parent = state.branches[parent.branch]?.parent;
  }
  return (at: SettledAt): boolean => at.turn <= (reach.get(at.branch) ?? -1);
}

interface Match {
  branch: Branch;
  head: Head;
  position: number;
}

function deepest(branch: Branch, finder: Finder): Match | undefined {
  for (let index = branch.heads.length - 1; index >= 0; index--) {
    const head = branch.heads[index] as Head;
    const position = finder.find(head.anchor);
    if (position !== undefined && position > 0) return { branch, head, position };
  }
  return undefined;
}

function rank({ branch, head, position }: Match, state: State): number {
  const isLatest = head === branch.heads.at(-1) ? 0.5 : 0;
  const isCurrent = branch.id === state.current ? 0.25 : 0;
  return position + isLatest + isCurrent;
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

function firstCount(state: State, history: History): number {
  return Math.max(state.facts.turns.assistant, totalAssistants(history));
}
