// Aligns two histories: finds the blocks of an earlier one in a later one, even if a client has edited some.

import type { Hunk, Print } from "../log/hunks.ts";

export interface Alignment {
  /** For each block of the earlier history: its index in the later one, or -1. */
  to: Int32Array;
  /** How each was found. */
  found: Uint8Array;
}

/** Only by its position between other pairs. */
export const BY_PLACE = 0;
/** By a part that other blocks may share: how a text begins or ends, what a tool returned. */
export const BY_PART = 1;
export const FOUND = 2;

const CLASS = 2;
const STRONG = CLASS + 12;
// Ordinary gaps close within a few rounds; this bounds the work on histories made to be slow.
const ROUNDS = 12;
const PAIRS_MOST = 4096;
/** A message and its answer. */
const EDITED_MOST = 2;

type Key = (print: Print) => string | undefined;

const wholly: Key = (print) => print.slice(0, STRONG);
const byId: Key = (print) => keyed(print, /#([^=]*)/u);
const byHolding: Key = (print) => keyed(print, /=(.*)/u);

const KEYS = [wholly, byHolding, byId];

function keyed(print: Print, pattern: RegExp): string | undefined {
  const key = print.length === STRONG ? undefined : pattern.exec(print)?.[1];
  return key ? print.slice(0, CLASS) + key : undefined;
}

/**
 * `edited`: how many blocks at the very end of the earlier history may have been edited. Only an answer behind them
 * shows that they were: without one they may have been replaced.
 */
export function align(before: readonly Print[], now: readonly Print[], edited = 0): Alignment {
  const alignment = unpaired(before);
  const pairing: Pairing = { before, now, ...alignment };
  const { same, front, back, end } = keptEnds(before, now);
  if (back === 0) return pairAll(pairing, edited);
  for (let at = 0; at < front; at++) pair(pairing, [at, at]);
  for (let at = 1; at <= back; at++) pair(pairing, [before.length - at, end - at]);
  closeAll(
    { from: front, upTo: before.length - back, nowFrom: front, nowUpTo: end - back, round: 0 },
    pairing,
  );
  if (front + back >= same && isEdit(front + back, { before, end })) return alignment;
  // Its last words may have been said before, and more be edited, or just these.
  const all = pairAll({ before, now, ...unpaired(before) }, edited);
  const found = all.to.at(-1) === -1 ? 0 : all.found.filter((one) => one === FOUND).length;
  return found * 2 >= before.length && found > front + back ? all : alignment;
}

function unpaired(before: readonly Print[]): Alignment {
  return { to: new Int32Array(before.length).fill(-1), found: new Uint8Array(before.length) };
}

function pairAll(pairing: Pairing, edited: number): Alignment {
  const { before, now, to, found } = pairing;
  closeAll({ from: 0, upTo: before.length, nowFrom: 0, nowUpTo: now.length, round: 0 }, pairing);
  pairEnd(pairing, edited);
  return { to, found };
}

function closeAll(all: Gap, pairing: Pairing): void {
  const gaps = [all];
  for (let gap = gaps.pop(); gap !== undefined; gap = gaps.pop()) gaps.push(...close(gap, pairing));
}

interface Ends {
  /** How much both begin with, and how much of that stands before what was edited. */
  same: number;
  front: number;
  back: number;
  /** Where the back ends in the later history. */
  end: number;
}

/**
 * What is unchanged at the front and at the back of a history in which little was edited, or whose oldest blocks were
 * dropped: then it has a back only. An answer follows the back. This is looked for first, as in a repetitive history
 * every stretch looks like every other.
 */
function keptEnds(before: readonly Print[], now: readonly Print[]): Ends {
  const start = (print: Print) => print.slice(0, STRONG);
  const [then, later] = [before.map(start), now.map(start)];
  const same = then.findIndex((one, at) => one !== later[at]);
  let best: Ends = { same, front: 0, back: 0, end: 0 };
  let most = 0;
  for (const [at, back] of (same < 0 ? [] : sharedEnds(then, later)).entries()) {
    const end = at + 1;
    const front = Math.min(same, end - back, then.length - back);
    const isSlide = back === end;
    if (back === 0 || !now[end]?.startsWith("a")) continue;
    if (!isSlide && !isEdit(front + back, { before, end })) continue;
    // What came in between counts against it.
    const shared = 2 * (front + back) - end;
    if (shared < most || (shared === most && !isSlide && best.back === best.end)) continue;
    best = { same, front, back, end };
    most = shared;
  }
  return best;
}

/** Whether so much is unchanged that little can have been edited there, or put in. */
function isEdit(unchanged: number, { before, end }: { before: readonly Print[]; end: number }): boolean {
  return before.length - unchanged <= EDITED_MOST && end - unchanged <= EDITED_MOST;
}

/** For each beginning of the second list: how much of its end is the end of the first. */
function sharedEnds(one: readonly string[], other: readonly string[]): number[] {
  // From the end, as one list; what begins at a place in it is as long as what begins at the start of it.
  const all = [...one.toReversed(), "", ...other.toReversed()];
  const lengths = new Array<number>(all.length).fill(0);
  let [from, upTo] = [0, 0];
  for (let at = 1; at < all.length; at++) {
    let length = at < upTo ? Math.min(upTo - at, lengths[at - from] as number) : 0;
    while (at + length < all.length && all[length] === all[at + length]) length++;
    lengths[at] = length;
    if (at + length > upTo) [from, upTo] = [at, at + length];
  }
  return lengths.slice(one.length + 1).reverse();
}

interface Pairing extends Alignment {
  before: readonly Print[];
  now: readonly Print[];
}

/** Blocks between two pairs, in both histories. */
interface Gap {
  from: number;
  upTo: number;
  nowFrom: number;
  nowUpTo: number;
  round: number;
}

/** Pairs what can be paired in a gap; returns the gaps left between those pairs. */
function close(gap: Gap, pairing: Pairing): Gap[] {
  let rest = closeEnds(gap, pairing, [wholly]);
  for (let run = pairRun(rest, pairing); run > 0; run = pairRun(rest, pairing))
    rest = closeEnds({ ...rest, from: rest.from + run, nowFrom: rest.nowFrom + run }, pairing, [wholly]);
  if (isClosed(rest)) return [];
  if (gap.round < ROUNDS) {
    for (const key of KEYS) {
      const pairs = inOrder(uniquePairs(rest, pairing, key));
      if (pairs.length > 0) return between(rest, pairs, pairing);
    }
    // The same call over and over, under new ids: neighbours of a pair are still its neighbours.
    const closer = closeEnds(rest, pairing, KEYS);
    if (closer.from > rest.from || closer.upTo < rest.upTo) return [{ ...closer, round: gap.round + 1 }];
  }
  if (isHeld(gap, pairing)) pairByKind(rest, pairing);
  return [];
}

/** Results of parallel calls that are in another order now: places among them do not move. */
function pairRun({ from, upTo, nowFrom, nowUpTo }: Gap, pairing: Pairing): number {
  const { before, now } = pairing;
  const runIn = (prints: readonly Print[], start: number, end: number) => {
    let at = start;
    while (at < end && prints[at]?.[1] === "r") at++;
    return prints.slice(start, at);
  };
  const [run, other] = [runIn(before, from, upTo), runIn(now, nowFrom, nowUpTo)];
  const isSame = [byHolding, byId].some((key) => {
    const [one, two] = [run, other].map((prints) => prints.map((print) => key(print) ?? "").sort());
    return one?.join("\n") === two?.join("\n");
  });
  if (run.length < 2 || run.length !== other.length || !isSame) return 0;
  for (let index = 0; index < run.length; index++) pair(pairing, [from + index, nowFrom + index]);
  return run.length;
}

/** Pairs equal blocks at the ends of a gap. */
function closeEnds(gap: Gap, pairing: Pairing, keys: readonly Key[]): Gap {
  const { before, now } = pairing;
  const rest = { ...gap };
  const isAlike = (index: number, at: number) =>
    keys.some((key) => {
      const name = key(before[index] as Print);
      return name !== undefined && name === key(now[at] as Print);
    });
  while (!isClosed(rest) && isAlike(rest.from, rest.nowFrom)) pair(pairing, [rest.from++, rest.nowFrom++]);
  while (isHeld(gap, pairing) && !isClosed(rest) && isAlike(rest.upTo - 1, rest.nowUpTo - 1))
    pair(pairing, [--rest.upTo, --rest.nowUpTo]);
  return rest;
}

/** Nothing follows the last blocks of the earlier history that would hold them in place. */
function isHeld({ upTo }: Gap, { before }: Pairing): boolean {
  return upTo < before.length;
}

function isClosed({ from, upTo, nowFrom, nowUpTo }: Gap): boolean {
  return from === upTo || nowFrom === nowUpTo;
}

function pair({ before, now, to, found }: Pairing, [index, at]: [number, number]): void {
  const [one, other] = [before[index] as Print, now[at] as Print];
  to[index] = at;
  found[index] = isSure(one, other) ? FOUND : BY_PART;
}

function isSure(one: Print, other: Print): boolean {
  if (wholly(one) === wholly(other)) return true;
  const kind = one[1];
  return (
    (kind === "c" || kind === "r") && (kind === "c" ? KEYS : [byId]).some((key) => key(one) === key(other))
  );
}

/** Blocks whose key is unique in the gap, on both sides. */
function uniquePairs(gap: Gap, { before, now }: Pairing, key: Key): [number, number][] {
  const later = onceIn(now, gap.nowFrom, gap.nowUpTo, key);
  return [...onceIn(before, gap.from, gap.upTo, key)].flatMap(([name, index]): [number, number][] => {
    const at = later.get(name) ?? -1;
    return index < 0 || at < 0 ? [] : [[index, at]];
  });
}

function onceIn(prints: readonly Print[], from: number, upTo: number, key: Key): Map<string, number> {
  const places = new Map<string, number>();
  for (let index = from; index < upTo; index++) {
    const name = key(prints[index] ?? "");
    if (name !== undefined) places.set(name, places.has(name) ? -1 : index);
  }
  return places;
}

/** The most pairs that keep their order on both sides. */
function inOrder(pairs: readonly [number, number][]): [number, number][] {
  const sorted = [...pairs].sort(([a], [b]) => a - b);
  // By length of a run: the index of the pair that ends it earliest.
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, [, at]] of sorted.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[ends[middle] as number] as [number, number])[1] < at) low = middle + 1;
      else high = middle;
    }
    previous.push(ends[low - 1] ?? -1);
    ends[low] = index;
  }
  const run: [number, number][] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] as number)
    run.push(sorted[index] as [number, number]);
  return run.reverse();
}

function between(gap: Gap, pairs: readonly [number, number][], pairing: Pairing): Gap[] {
  const gaps: Gap[] = [];
  let { from, nowFrom } = gap;
  for (const [index, at] of pairs) {
    pair(pairing, [index, at]);
    gaps.push({ from, upTo: index, nowFrom, nowUpTo: at, round: gap.round + 1 });
    from = index + 1;
    nowFrom = at + 1;
  }
  return [...gaps, { from, upTo: gap.upTo, nowFrom, nowUpTo: gap.nowUpTo, round: gap.round + 1 }];
}

/**
 * Pairs changed blocks between unchanged ones: the same number of the same kinds is an edit. If the client dropped some
 * as well, the order of kinds decides; if little is left, as after a summary, nothing is paired.
 */
function pairByKind({ from, upTo, nowFrom, nowUpTo }: Gap, { before, now, to }: Pairing): void {
  const [many, left] = [upTo - from, nowUpTo - nowFrom];
  const isKind = (index: number, at: number) => isSameKind(before[from + index], now[nowFrom + at]);
  const isInPlace = many === left && Array.from({ length: many }).every((_, index) => isKind(index, index));
  if (isInPlace) for (let index = 0; index < many; index++) to[from + index] = nowFrom + index;
  if (isInPlace || left * 2 < many || many * left > PAIRS_MOST) return;
  // The longest common sequence of kinds.
  const longest = Array.from({ length: many + 1 }, () => new Uint16Array(left + 1));
  const at = (index: number, other: number) => longest[index]?.[other] ?? 0;
  for (let index = many - 1; index >= 0; index--)
    for (let other = left - 1; other >= 0; other--)
      (longest[index] as Uint16Array)[other] = isKind(index, other)
        ? at(index + 1, other + 1) + 1
        : Math.max(at(index + 1, other), at(index, other + 1));
  for (let index = 0, other = 0; index < many && other < left; ) {
    if (isKind(index, other)) to[from + index++] = nowFrom + other++;
    else if (at(index + 1, other) >= at(index, other + 1)) index++;
    else other++;
  }
}

/** Pairs the last blocks of the earlier history with others of their kinds before the next answer. */
function pairEnd({ before, now, to }: Pairing, edited: number): void {
  const last = to.findLastIndex((at) => at >= 0);
  const many = before.length - 1 - last;
  const first = last < 0 ? 0 : (to[last] as number) + 1;
  const answer = now.findIndex((print, at) => at >= first + many && print.startsWith("a"));
  if (many === 0 || many > edited || answer < 0) return;
  const from = answer - many;
  for (let index = 0; index < many; index++)
    if (!isSameKind(before[last + 1 + index], now[from + index])) return;
  for (let index = 0; index < many; index++) to[last + 1 + index] = from + index;
}

/**
 * For each block of the earlier history: how much up to it the two share. A block that was found counts, an edited one
 * only where one that was found follows; one that came between them, which the earlier history never had, counts
 * against it.
 */
export function sharedIn({ to, found }: Alignment): Int32Array {
  const shared = new Int32Array(to.length);
  let sum = 0;
  let edited = 0;
  let end = -1;
  for (const [index, at] of to.entries()) {
    if (at >= 0) {
      sum -= at - end - 1;
      end = at;
      if (found[index] !== FOUND) edited++;
      else {
        sum += 1 + edited;
        edited = 0;
      }
    }
    shared[index] = sum;
  }
  return shared;
}

function isSameKind(one: Print | undefined, other: Print | undefined): boolean {
  return one !== undefined && one.slice(0, CLASS) === other?.slice(0, CLASS);
}

/** The changes that turn the earlier list into the later one. */
export function hunksOf(before: readonly Print[], now: readonly Print[], { to }: Alignment): Hunk[] {
  const hunks: Hunk[] = [];
  let from = 0;
  let nowFrom = 0;
  const upTo = (index: number, at: number) => {
    if (index > from) hunks.push({ at: from, drop: index - from, add: [] });
    if (at > nowFrom) hunks.push({ at: index, drop: 0, add: now.slice(nowFrom, at) });
  };
  for (const [index, at] of to.entries()) {
    if (at < 0) continue;
    upTo(index, at);
    if (before[index] !== now[at]) hunks.push({ at: index, drop: 1, add: [now[at] as Print] });
    from = index + 1;
    nowFrom = at + 1;
  }
  upTo(before.length, now.length);
  return hunks;
}
