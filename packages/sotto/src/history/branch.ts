// Finds the branch of the session that a history belongs to, and counts its answers.

import type { SettledAt } from "../facts/pending.ts";
import { answeredAs, type Branch, branchAt, type Head, lastTurn } from "../log/branches.ts";
import type { BranchPoint } from "../log/entries.ts";
import type { Hunk } from "../log/hunks.ts";
import type { State } from "../log/state.ts";
import { align, hunksOf } from "./align.ts";
import { anchorAt, assistantsBehind, type History, positionOf, printsOf } from "./history.ts";
import { begunAlike, bestMatch, lastBlocks, type Unwritten } from "./match.ts";

export interface BranchChoice {
  id: string;
  parent?: BranchPoint;
  fresh: boolean;
  /** If it is a retry: the turn that had this history before. */
  retryOf?: number;
  assistantTurns: number;
}

/** The changes from the branch's latest history to this one, as each turn stores them. */
export function changesOn(state: State, choice: BranchChoice, history: History): Hunk[] {
  if (history.kept !== undefined) return [];
  const { prints, heads } = branchAt(state, choice);
  const last = heads.at(-1)?.anchor;
  const isSame = last?.blocks === prints.length && positionOf(history, last) === prints.length;
  if (isSame && history.end === prints.length) return [];
  if (isSame) return [{ at: prints.length, drop: 0, add: printsOf(history, prints.length) }];
  const now = printsOf(history);
  return hunksOf(prints, now, align(prints, now, lastBlocks(prints, heads)));
}

export interface Choosing {
  unwritten?: readonly Unwritten[];
  /** The provider keeps the answer under an id of its own. */
  keepsAnswer?: boolean;
}

/**
 * The branch whose latest history this one extends; otherwise a new branch off the latest turn they share; otherwise
 * (they share nothing: compacted without notice, or another conversation) one with a fresh view.
 */
export function chooseBranch(
  state: State,
  history: History,
  { unwritten = [], keepsAnswer = false }: Choosing = {},
): BranchChoice {
  const current = state.branches[state.current] as Branch;
  const answers = assistantsBehind(history, 0);
  if (current.heads.length === 0) return stay(state, current, Math.max(state.facts.turns.assistant, answers));
  const best = bestMatch(state, history, unwritten);
  if (best === undefined && history.kept !== undefined) return goOn(state, history, current);
  const begun = best === undefined ? begunAlike(state, history) : undefined;
  if (begun !== undefined)
    return {
      id: `branch-${state.seq}`,
      parent: begun,
      fresh: false,
      assistantTurns: answers,
    };
  if (best === undefined)
    return {
      id: `fresh-${state.seq}`,
      parent: heardSoFar(lineSoFar(state, current)),
      fresh: true,
      assistantTurns: state.facts.turns.assistant + Math.min(1, answers),
    };
  const { branch, head, position, isWritten } = best;
  const assistantTurns = best.assistantTurns + assistantsBehind(history, position);
  if (head !== branch.heads.at(-1))
    return {
      id: `branch-${state.seq}`,
      parent: { branch: branch.id, turn: head.turn },
      fresh: false,
      assistantTurns,
    };
  const choice = stay(state, branch, assistantTurns);
  // If the provider keeps each answer, the next request may continue from any of them: each is to a turn of its own.
  const isOneOfMany = keepsAnswer && (history.kept !== undefined || head.answers !== undefined);
  const isRetry = isWritten && position === history.end && !isOneOfMany;
  return isRetry ? { ...choice, retryOf: head.turn } : choice;
}

/** What to remember of a choice that the log does not take; nothing if it continues no request that is known. */
export function toUnwritten(state: State, choice: BranchChoice, history: History): Unwritten | undefined {
  if (history.kept !== undefined) return undefined;
  const known = state.branches[choice.id];
  const from = known === undefined ? choice.parent : { branch: known.id, turn: lastTurn(known) };
  if (from === undefined || (known === undefined && choice.fresh)) return undefined;
  return { ...from, anchor: anchorAt(history, history.end), assistantTurns: choice.assistantTurns };
}

/**
 * The provider keeps the rest of the history. If another request already continued from the same answer, this is a new
 * branch; otherwise the conversation continues on its branch.
 */
function goOn(state: State, history: History, current: Branch): BranchChoice {
  const answers = assistantsBehind(history, 0);
  const siblings = Object.values(state.branches).flatMap((branch) =>
    branch.heads.filter(({ kept }) => kept === history.kept).map((head) => ({ branch, head })),
  );
  // The first: before it is the turn that was answered, and not another try to go on from there.
  const sibling = siblings.sort((a, b) => a.head.turn - b.head.turn)[0];
  const answered = answeredAs(state, history.kept as string);
  if (answered !== undefined) {
    const { branch, head } = answered;
    const assistantTurns = head.assistantTurns + answers;
    if (sibling === undefined && head === branch.heads.at(-1)) return stay(state, branch, assistantTurns);
    const parent = { branch: branch.id, turn: head.turn };
    return { id: `branch-${state.seq}`, parent, fresh: false, assistantTurns };
  }
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

/** What a branch knows of deliveries on itself and on the branches it came from. */
export interface Lineage {
  heard(at: SettledAt): boolean;
  /** Heard, with no compaction or fresh view in between. */
  sees(at: SettledAt): boolean;
  /** Whether the model's view began anew somewhere. */
  compacted: boolean;
  /** Where it last did. */
  since?: Beginning;
}

/** Where a view began anew: the entry, and the number of assistant messages before it. */
export interface Beginning {
  seq: number;
  turns: number;
}

export function lineageOf(state: State, { id, parent, fresh, assistantTurns }: BranchChoice): Lineage {
  const heard = new Map<string, number>([[id, Number.POSITIVE_INFINITY]]);
  const seen = new Map(heard);
  const now = { seq: state.seq, turns: assistantTurns };
  let since = fresh ? (beganAnew(state.branches[id]) ?? now) : undefined;
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

function beganAnew(branch: Branch | undefined): Beginning | undefined {
  return branch?.fresh ? { seq: branch.freshAt ?? 0, turns: branch.freshTurns ?? 0 } : undefined;
}

/**
 * The branch of the conversation itself: a side request, such as for a title, starts fresh and is never continued,
 * however often it is made.
 */
function lineSoFar(state: State, current: Branch): Branch {
  const grown = Object.values(state.branches).filter(({ fresh, heads }) => heads.length > (fresh ? 1 : 0));
  return grown.sort((a, b) => lastTurn(b) - lastTurn(a))[0] ?? current;
}

/**
 * A conversation that shares nothing with this one is taken for its summary, and knows all of it. But nobody summarises
 * what was never answered: then the two are unrelated.
 */
function heardSoFar({ id, heads }: Branch): BranchPoint {
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
