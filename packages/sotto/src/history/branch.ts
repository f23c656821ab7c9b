// Finds the branch of the session that a history belongs to, and counts its answers.

import type { SettledAt } from "../facts/pending.ts";
import { type Branch, branchAt, type Head, lastTurn } from "../log/branches.ts";
import type { Hunk, Print } from "../log/hunks.ts";
import type { State } from "../log/state.ts";
import { type Alignment, align, BY_PLACE, FOUND, hunksOf } from "./align.ts";
import { assistantsBehind, type History, positionOf, printsOf } from "./history.ts";

export interface BranchChoice {
  id: string;
  parent?: { branch: string; turn: number };
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

/**
 * The branch whose latest history this one extends; otherwise a new branch off the latest turn they share; otherwise
 * (they share nothing: compacted without notice, or another conversation) one with a fresh view.
 */
export function chooseBranch(state: State, history: History): BranchChoice {
  const current = state.branches[state.current] as Branch;
  const answers = assistantsBehind(history, 0);
  if (current.heads.length === 0) return stay(state, current, Math.max(state.facts.turns.assistant, answers));
  const best = bestMatch(state, history);
  if (best === undefined && history.kept !== undefined) return goOn(state, history, current);
  if (best === undefined)
    return {
      id: `fresh-${state.seq}`,
      parent: heardSoFar(lineSoFar(state, current)),
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
 * The provider keeps the rest of the history. If another request already continued from the same answer, this is a new
 * branch; otherwise the conversation continues on its branch.
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

interface Match {
  branch: Branch;
  head: Head;
  position: number;
  /** Everything before it is unchanged. */
  exact: boolean;
  /** The last block before it is unchanged. */
  sure: boolean;
}

/**
 * Prefers heads that the history contains exactly. If none fits well, it takes those whose branch it continues though
 * the client has edited it. A conversation usually grows by one reply: then only a later place with an answer behind it
 * is better.
 */
function bestMatch(state: State, history: History): Match | undefined {
  const branches = Object.values(state.branches);
  const exact = branches.flatMap((branch) => exactMatch(branch, history));
  const best = bestOf(exact, state);
  if (history.kept !== undefined) return best;
  const fits = best !== undefined && assistantsBehind(history, best.position) <= 1;
  if (fits && isLatest(best)) return best;
  const edited = branches.flatMap((branch) => editedMatch(branch, history));
  if (fits || (best !== undefined && isLatest(best))) {
    const answered = edited.filter(
      (match) => isLatest(match) && match.sure && assistantsBehind(history, match.position) > 0,
    );
    return bestOf([...exact, ...answered], state);
  }
  // Besides the latest request of a branch, an earlier one counts only on the current branch, and by an unchanged
  // block.
  const likely = edited.filter(
    (match) => isLatest(match) || (match.sure && match.branch.id === state.current),
  );
  return bestOf([...exact, ...(edited.some(isLatest) ? likely : edited)], state);
}

function bestOf(matches: readonly Match[], state: State): Match | undefined {
  return [...matches].sort((a, b) => rank(b, state) - rank(a, state))[0];
}

/** The latest head of the branch that this history contains, with everything before it unchanged. */
function exactMatch(branch: Branch, history: History): Match[] {
  const head = branch.heads.findLast(({ anchor }) => (positionOf(history, anchor) ?? 0) > 0);
  return head === undefined
    ? []
    : [
        {
          branch,
          head,
          position: positionOf(history, head.anchor) as number,
          exact: true,
          sure: true,
        },
      ];
}

/** The latest head of the branch whose last block is in this history, if that cannot be by chance. */
function editedMatch(branch: Branch, history: History): Match[] {
  const { prints, heads } = branch;
  const alignment = align(prints, printsOf(history), lastBlocks(prints, heads));
  for (const head of heads.toReversed()) {
    const { blocks } = head.anchor;
    const at = alignment.to[blocks - 1] ?? -1;
    if (at < 0 || head.kept !== undefined) continue;
    const sure = alignment.found[blocks - 1] === FOUND;
    const match = { branch, head, position: at + 1, exact: false, sure };
    if (continues(match, alignment, history)) return [match];
  }
  return [];
}

function isLatest({ branch, head }: Match): boolean {
  return head === branch.heads.at(-1);
}

/**
 * An answer can only be to a request that was seen: if one follows, and anything before it is unchanged, the history
 * continues from there. Otherwise a user may have repeated the same words in a new conversation: it takes a block of
 * the model or a tool, and at least half of the history.
 */
function continues(match: Match, { to, found }: Alignment, history: History): boolean {
  const { branch, head, position } = match;
  const { blocks } = head.anchor;
  const known = found.subarray(0, blocks);
  if (known.every((one, index) => one === FOUND && to[index] === index)) return true;
  const count = known.filter((one) => one === FOUND).length;
  const isReply = (print: Print) => print.startsWith("a") || print[1] === "r";
  const replies = found.some((one, index) => one === FOUND && isReply(branch.prints[index] as Print));
  const isFound = found[blocks - 1] !== BY_PLACE;
  if (isLatest(match) && assistantsBehind(history, position) > 0 && (isFound || replies)) return true;
  return replies && count * 2 >= (isLatest(match) ? Math.min(blocks, position) : blocks);
}

/** How many blocks the latest request on a branch added. */
function lastBlocks(prints: readonly Print[], heads: readonly Head[]): number {
  return prints.length - (heads.at(-2)?.anchor.blocks ?? 0);
}

/** The furthest match wins; then an exact one, then the latest head, then the current branch. */
function rank(match: Match, state: State): number {
  const isCurrent = match.branch.id === state.current;
  return match.position + (match.exact ? 0.5 : 0) + (isLatest(match) ? 0.25 : 0) + (isCurrent ? 0.125 : 0);
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
