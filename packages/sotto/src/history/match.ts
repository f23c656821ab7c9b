// Matches a history with the branches of a session: which request on which branch it continues from.

import { type Branch, type Head, lastTurn, listed } from "../log/branches.ts";
import type { Anchor, BranchPoint } from "../log/entries.ts";
import type { Print } from "../log/hunks.ts";
import type { State } from "../log/state.ts";
import { type Alignment, align, BY_PART, BY_PLACE, FOUND, sharedIn } from "./align.ts";
import { assistantsBehind, type History, idIn, positionOf, printsOf } from "./history.ts";

export interface Match {
  branch: Branch;
  head: Head;
  /** Where the request of the head ends in this history, or an unwritten one that continued from there. */
  position: number;
  isWritten: boolean;
  /** Assistant messages up to there. */
  assistantTurns: number;
  /** Everything before it is unchanged. */
  exact: boolean;
  /** How the last block before it was found. */
  found: number;
  /** How much of this history the branch has had, and how much of that up to the head. */
  shares: number;
  upToHead: number;
  /** Everything before it is there in another dialect, and nothing came between. */
  translated: boolean;
}

/** A request that went out though the log did not take its turn: the branch and turn that it continued from. */
export interface Unwritten {
  anchor: Anchor;
  branch: string;
  turn: number;
  assistantTurns: number;
}

/**
 * Prefers heads that the history contains exactly. If none fits well, it takes those whose branch it continues though
 * the client has edited it. A conversation usually grows by one reply: then only a later place with an answer behind it
 * is better. A request that is there in another dialect counts wherever it is: a provider that is asked instead of one
 * that failed goes on from it.
 */
export function bestMatch(
  state: State,
  history: History,
  unwritten: readonly Unwritten[],
): Match | undefined {
  const branches = Object.values(state.branches);
  const exact = branches.flatMap((branch) => exactMatch(branch, history));
  if (history.kept !== undefined) return bestOf(exact, state);
  exact.push(...unwritten.flatMap((request) => unwrittenMatch(state, history, request)));
  const best = bestOf(exact, state);
  const fits = best !== undefined && assistantsBehind(history, best.position) <= 1;
  if (fits && isLatest(best)) return best;
  const edited = branches.flatMap((branch) =>
    exact.some((match) => match.branch === branch && hasAll(match)) ? [] : editedMatch(branch, history),
  );
  const isLater = (match: Match) =>
    isLatest(match) && match.found === FOUND && assistantsBehind(history, match.position) > 0;
  // Besides the latest request of a branch, an earlier one counts only on the current branch, and by an unchanged
  // block: a message that begins alike may have been replaced.
  const isLikely = (match: Match) =>
    isLatest(match)
      ? best === undefined || isEdit(match, state, history)
      : match.found === FOUND && match.branch.id === state.current;
  const isGood = fits || (best !== undefined && isLatest(best)) ? isLater : isLikely;
  const counts = (match: Match) => match.translated || isGood(match);
  const likely = edited.flatMap((match) =>
    counts(match) ? [match] : editedMatch(match.branch, history, counts),
  );
  const isAny = best === undefined && !edited.some(isLatest);
  return bestOf([...exact, ...(isAny ? edited : likely)], state);
}

/**
 * The branch that has had most of this history wins, and on it the head up to which most is shared. How far back a
 * block stands says nothing: what came before it may be another conversation. Of equals an exact match wins, then what
 * was sent last.
 */
function bestOf(matches: readonly Match[], state: State): Match | undefined {
  const ranked = matches.map((match) => {
    const { shares, upToHead, exact, head, branch } = match;
    const rest = [exact, head.turn, isLatest(match), branch.id === state.current].map(Number);
    return { match, rank: [shares, upToHead, ...rest] };
  });
  return ranked.sort((a, b) => compare(b.rank, a.rank))[0]?.match;
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return (one[at] ?? 0) - (other[at] ?? 0);
}

/** Nothing of the branch is missing or changed: however it is aligned, no more of it is shared. */
function hasAll({ branch, exact, position }: Match): boolean {
  return exact && position === branch.prints.length;
}

/** The latest head of the branch that this history contains, with everything before it unchanged. */
function exactMatch(branch: Branch, history: History): Match[] {
  const head = branch.heads.findLast(({ anchor }) => (positionOf(history, anchor) ?? 0) > 0);
  if (head === undefined) return [];
  const position = positionOf(history, head.anchor) as number;
  const { assistantTurns } = head;
  const shares = position + (history.kept === undefined ? sameFrom(branch, history, position) : 0);
  const place = { position, shares, upToHead: position };
  const exact = { exact: true, found: FOUND, translated: false };
  return [{ branch, head, ...place, ...exact, isWritten: true, assistantTurns }];
}

/** An unwritten request that this history contains, with everything before it unchanged. */
function unwrittenMatch(state: State, history: History, request: Unwritten): Match[] {
  const { anchor, turn, assistantTurns } = request;
  const position = positionOf(history, anchor) ?? 0;
  const branch = state.branches[request.branch];
  // Or from a later turn, which this process had not seen in the log yet.
  const isBefore = (one: Anchor) => (positionOf(history, one) ?? Number.POSITIVE_INFINITY) <= position;
  const head = branch?.heads.findLast(
    (one) => one.turn === turn || (one.turn > turn && isBefore(one.anchor)),
  );
  if (branch === undefined || head === undefined || position === 0) return [];
  const place = { position, shares: position, upToHead: position };
  const exact = { exact: true, found: FOUND, translated: false };
  return [{ branch, head, ...place, ...exact, isWritten: false, assistantTurns }];
}

// In characters. Models say it again and again: "Sure, let me look at that."
const SHORT_ANSWER = 200;

/**
 * How many blocks behind this place are the same on the branch. An answer counts as a whole, as many begin with the same
 * words, or with a block that has none; a short one counts only with what follows it.
 */
function sameFrom({ prints }: Branch, history: History, position: number): number {
  if (prints.length <= position) return 0;
  const now = printsOf(history, position);
  const parting = now.findIndex((print, at) => print !== prints[position + at]);
  if (parting < 0) return now.length;
  const isAnswer = (print: Print | undefined) => print?.startsWith("a") === true;
  let same = parting;
  if (isAnswer(now[same]) || isAnswer(prints[position + same])) while (isAnswer(now[same - 1])) same--;
  const words = now.slice(0, same).every((print) => print.startsWith("at"));
  const texts = history.chain.slice(position, position + same).map(({ text = "" }) => text);
  return words && texts.join("").length < SHORT_ANSWER ? 0 : same;
}

/**
 * The branch that began in the same words, where the history leaves it before the first of its turns that is known: the
 * log did not take those that came earlier, or they are too long ago. The turn is the last before it left.
 */
export function begunAlike(state: State, history: History): BranchPoint | undefined {
  const alike = Object.values(state.branches).flatMap((branch) => {
    const shares = branch.heads.length === 0 ? 0 : sameFrom(branch, history, 0);
    return branch.prints.slice(0, shares).some((print) => !print.startsWith("s")) ? [{ branch, shares }] : [];
  });
  const [best] = alike.sort((a, b) => b.shares - a.shares || lastTurn(b.branch) - lastTurn(a.branch));
  if (best === undefined) return undefined;
  const { branch, shares } = best;
  // What was told behind the place where it leaves was not told here.
  let turn = (branch.heads[0] as Head).turn - 1;
  for (const [key, place] of Object.entries(branch.places))
    if (place > shares) turn = Math.min(turn, (state.deliveries[key]?.turn ?? turn + 1) - 1);
  return { branch: branch.id, turn, blocks: shares };
}

/** The latest head of the branch that counts and whose last block is in this history, if that cannot be by chance. */
function editedMatch(
  branch: Branch,
  history: History,
  counts: (match: Match) => boolean = () => true,
): Match[] {
  const { prints, heads } = branch;
  const now = printsOf(history);
  const alignment = align(prints, now, lastBlocks(prints, heads));
  const isOtherDialect = branch.dialect !== undefined && branch.dialect !== history.dialect;
  const translated =
    isOtherDialect || hasOtherIds(alignment, prints, now) ? translatedIn(alignment, prints, now) : 0;
  const shared = sharedIn(alignment);
  const shares = shared.reduce((most, one) => Math.max(most, one), 0);
  for (const head of heads.toReversed()) {
    const { blocks } = head.anchor;
    const at = alignment.to[blocks - 1] ?? -1;
    if (at < 0 || head.kept !== undefined || !isInPlace(alignment, prints, blocks - 1)) continue;
    const match: Match = {
      ...{ branch, head, position: at + 1, isWritten: true, assistantTurns: head.assistantTurns },
      ...{ exact: false, found: alignment.found[blocks - 1] as number },
      ...{ shares, upToHead: shared[blocks - 1] as number },
      translated: blocks <= translated,
    };
    if (counts(match) && continues(match, alignment, history)) return [match];
  }
  return [];
}

/** Whether a block is still the same one: found, or, of a tool, found by what stays of it. Words may only begin alike. */
function isKnown(found: number | undefined, print: Print | undefined): boolean {
  return found === FOUND || (found === BY_PART && print?.[1] !== "t");
}

/** Whether a client writes new ids with each request. */
function hasOtherIds({ to }: Alignment, prints: readonly Print[], now: readonly Print[]): boolean {
  const calls = Array.from(to).flatMap((at, index) =>
    at >= 0 && prints[index]?.[1] === "c" ? [[index, at] as const] : [],
  );
  return (
    calls.length > 0 && calls.every(([index, at]) => idIn(prints[index] as Print) !== idIn(now[at] as Print))
  );
}

/**
 * How many blocks the earlier history begins with that are all known in the later one, one behind the other. Some dialects
 * have the system's words among the messages, others do not.
 */
function translatedIn({ to, found }: Alignment, prints: readonly Print[], now: readonly Print[]): number {
  const isSystem = (print: Print | undefined) => print?.startsWith("s") === true;
  const first = (all: readonly Print[]) => all.findIndex((print) => !isSystem(print));
  const isBoth = isSystem(prints[0]) === isSystem(now[0]);
  const [from, nowFrom] = isBoth ? [0, 0] : [first(prints), first(now)];
  if (from < 0 || nowFrom < 0) return 0;
  let at = from;
  while (at < to.length && to[at] === nowFrom + at - from && isKnown(found[at], prints[at])) at++;
  return at === from ? 0 : at;
}

/**
 * Whether a block that was edited stands where it stood: right behind others, up to one that is known. A known one may
 * stand elsewhere if it is the last: clients drop what is older. Further up the same words may be said again.
 */
function isInPlace({ to, found }: Alignment, prints: readonly Print[], index: number): boolean {
  const isBehind = (at: number) => (at === 0 ? to[at] === 0 : to[at - 1] === (to[at] as number) - 1);
  let at = index;
  while (at > 0 && !isKnown(found[at], prints[at]) && isBehind(at)) at--;
  if (!isKnown(found[at], prints[at])) return isBehind(at);
  return index === to.length - 1 || at < index || isBehind(at);
}

/**
 * Whether the last message of a request was edited, and not replaced by another one that the model answered instead. If
 * the host took its reminders back, it was replaced. If more than one answer follows, the log does not know some of the
 * requests: the replaced message may be one of them.
 */
function isEdit(match: Match, state: State, history: History): boolean {
  const { branch, head, position, found } = match;
  if (isKnown(found, branch.prints[head.anchor.blocks - 1])) return true;
  if (found === BY_PLACE) return false;
  const offers = listed(state.deliveries).filter(
    ([, delivery]) => delivery.turn === head.turn && delivery.branch === branch.id,
  );
  const isTakenBack = offers.length > 0 && offers.every(([, delivery]) => delivery.state === "abandoned");
  return !isTakenBack && assistantsBehind(history, position) === 1;
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
  if (match.translated || known.every((one, index) => one === FOUND && to[index] === index)) return true;
  const count = known.filter((one) => one === FOUND).length;
  const isReply = (print: Print) => print.startsWith("a") || print[1] === "r";
  const replies = found.some((one, index) => one === FOUND && isReply(branch.prints[index] as Print));
  const isFound = found[blocks - 1] !== BY_PLACE;
  if (isLatest(match) && assistantsBehind(history, position) > 0 && (isFound || replies)) return true;
  return replies && count * 2 >= (isLatest(match) ? Math.min(blocks, position) : blocks);
}

/** How many blocks the latest request on a branch added. */
export function lastBlocks(prints: readonly Print[], heads: readonly Head[]): number {
  return prints.length - (heads.at(-2)?.anchor.blocks ?? 0);
}
