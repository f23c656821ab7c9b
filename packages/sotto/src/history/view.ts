// What the model has in view on a branch: the deliveries that its history contains, or will when they are inserted.

import type { Dialect } from "../dialects/dialect.ts";
import { hasEdges } from "../facts/facts.ts";
import { dueEdges, type Hearing } from "../facts/pending.ts";
import { answeredAs, branchAt, listed, lostAfter, namesAnswers } from "../log/branches.ts";
import { type Hunk, moverOf } from "../log/hunks.ts";
import type { Delivery, State } from "../log/state.ts";
import { type Beginning, type BranchChoice, type Lineage, lineageOf } from "./branch.ts";
import {
  assistantsBehind,
  bodyPosition,
  chainPosition,
  type History,
  type OwnBlock,
  positionOf,
} from "./history.ts";
import { saidBefore } from "./said-before.ts";
import type { ReminderTexts } from "./said-texts.ts";

/** Where a delivery stands in a request. */
export interface Place {
  /** How many blocks stand before it, if it has to be inserted. */
  at?: number;
  /** How many blocks stand before it, if the request contains it already. */
  shownAt?: number;
  /** Another turn or process is sending it just now. */
  elsewhere?: true;
  /** It is in the part of the history that the provider keeps. */
  kept?: true;
}

/** Who holds an offer that is neither confirmed nor abandoned: this host, someone else, or nobody any more. */
export type Holder = "ours" | "others" | "nobody";

/** A request that was read. */
export interface ReadRequest {
  dialect: Dialect;
  body: unknown;
  history: History;
  /** What changed in it since the latest turn on its branch. */
  hunks: readonly Hunk[];
  reminders: ReminderTexts;
  /** How many blocks stand before each delivery of its branch. */
  places: ReadonlyMap<string, number>;
  /** The same of those that stand in the request already. */
  shown: ReadonlyMap<string, number>;
}

export interface View extends Hearing {
  /** Deliveries that the model sees, with their places in the request. */
  inView: Map<Delivery, Place>;
  /** Edges that they cover. */
  covered: Set<string>;
  /** Offered before, and the history now has an assistant message behind them. */
  passed: Delivery[];
  /** Not confirmed yet, and sent again by this very turn; oldest first. */
  again: Delivery[];
  compacted: boolean;
  /** Where the view last began anew. */
  since?: Beginning;
}

export interface ViewOptions {
  state: State;
  choice: BranchChoice;
  /** The number of this turn. */
  turn: number;
  holderOf(delivery: Delivery): Holder;
  /** A living process has it in hand, and may still take it back: it may have been too late to send it. */
  isHeldElsewhere(delivery: Delivery): boolean;
  /** Another process offered it, and ended before it said what became of it. */
  isLeftBehind(delivery: Delivery): boolean;
  read?: ReadRequest | undefined;
}

export function createView(given: ViewOptions): View {
  const { state, choice, turn, holderOf, isHeldElsewhere, isLeftBehind, read } = given;
  const lineage = lineageOf(state, choice);
  const { heard, sees, compacted, since } = lineage;
  const lost = lostAfter(state, branchAt(state, choice), { hunks: read?.hunks ?? [], turn });
  const view: View = {
    ...{ inView: new Map(), covered: new Set(), heard, sees, lost, passed: [], again: [], compacted },
    ...(since === undefined ? {} : { since }),
  };
  const add = (delivery: Delivery, place: Place) => {
    view.inView.set(delivery, place);
    for (const id of delivery.covers) view.covered.add(id);
  };
  const kept = read?.dialect.kept?.(read.body);
  const isUnknown = kept?.moves === true && namesAnswers(state) && answeredAs(state, kept.name) === undefined;
  const options = { read, lineage, holderOf, isLeftBehind, isUnknown };
  const placed: Placed[] = [];
  for (const [key, delivery] of listed(state.deliveries)) {
    const place = placeOf(key, delivery, options);
    if (place !== undefined) placed.push([delivery, place]);
  }
  for (const [delivery, place] of withoutRivals(placed)) {
    add(delivery, place);
    // In a history that is there it is put in its place now. One that the provider keeps may be without it.
    const mayBeUnsent = place.kept === true && isHeldElsewhere(delivery);
    if (isPassed(delivery, place, read) && !mayBeUnsent) view.passed.push(delivery);
  }
  if (read === undefined) for (const delivery of interrupted(state, view)) add(delivery, {});
  const passed = new Set(view.passed);
  for (const [delivery, place] of view.inView)
    if (isOpen(delivery) && !passed.has(delivery) && !isAnothers(place, read)) view.again.push(delivery);
  view.again.sort((a, b) => a.seq - b.seq);
  return view;
}

type Placed = [delivery: Delivery, place: Place];

function isOpen({ state }: Delivery): boolean {
  return state !== "confirmed";
}

/** Deliveries in view by type, oldest first. */
export function sentByType({ inView }: View): Map<string, Delivery[]> {
  return Map.groupBy(
    [...inView.keys()].sort((a, b) => a.seq - b.seq),
    ({ type }) => type,
  );
}

/** An offer that another turn or process has in hand is sent by that one, unless it stands in this request, too. */
function isAnothers({ at, shownAt, elsewhere }: Place, read: ReadRequest | undefined): boolean {
  return at === undefined && shownAt === undefined && (read !== undefined || elsewhere === true);
}

/**
 * Processes that raced may both have offered an edge before one of them gave up, and a shorter request may have shown it
 * again. It stands in a request once: as it is shown or was confirmed, otherwise as it was offered first.
 */
function withoutRivals(all: readonly Placed[]): readonly Placed[] {
  // All were confirmed, and none is shown: so it is nearly always.
  if (all.every(([delivery, { shownAt }]) => !isOpen(delivery) && shownAt === undefined)) return all;
  const shown = new Set(all.flatMap(([{ covers }, { shownAt }]) => (shownAt === undefined ? [] : covers)));
  const isShown = ([{ covers }, { shownAt }]: Placed) =>
    shownAt === undefined && covers.length > 0 && covers.every((id) => shown.has(id));
  const placed = shown.size === 0 ? all : all.filter((one) => !isShown(one));
  const isSent = ([delivery, { shownAt }]: Placed) => !isOpen(delivery) || shownAt !== undefined;
  const sent = placed.filter(isSent);
  const covered = new Set(sent.flatMap(([{ covers }]) => covers));
  const open = placed.filter((one) => {
    const [{ covers }] = one;
    if (isSent(one) || covers.some((id) => covered.has(id))) return false;
    for (const id of covers) covered.add(id);
    return true;
  });
  return [...sent, ...open];
}

/**
 * Handed to a host that places reminders itself, and never confirmed. It may stand in that host's history by now, so it
 * is sent again as it was, under the same id, while all of it is still due.
 */
function* interrupted(state: State, view: View): Generator<Delivery> {
  const { inView, heard, covered } = view;
  const open = listed(state.deliveries).flatMap(([, delivery]) => {
    const { anchor, hidden, covers } = delivery;
    return isOpen(delivery) && !anchor && !hidden && heard(delivery) && covers.length > 0 ? [delivery] : [];
  });
  if (open.length === 0) return;
  // Triggers decide which mode to announce: it may be another one by now.
  const { mode: _mode, ...facts } = state.facts;
  const edges = Object.values<unknown>(facts).filter(hasEdges);
  const due = new Set(edges.flatMap((fact) => dueEdges(fact, view)).map(({ id }) => id));
  const busy = new Set([...inView].flatMap(([{ covers }, { elsewhere }]) => (elsewhere ? covers : [])));
  for (const delivery of open) {
    const { covers } = delivery;
    if (covers.every((id) => due.has(id) && !covered.has(id))) yield delivery;
    // Another process is sending part of it: the rest waits, so that it is not sent under another id.
    else if (covers.some((id) => busy.has(id))) for (const id of covers) covered.add(id);
  }
}

interface PlaceOptions extends Pick<ViewOptions, "holderOf" | "isLeftBehind" | "read"> {
  lineage: Lineage;
  /** It continues from an answer that the log does not know: nothing shows that it is to a request with what is open. */
  isUnknown: boolean;
}

function placeOf(
  key: string,
  delivery: Delivery,
  { read, lineage, holderOf, isLeftBehind, isUnknown }: PlaceOptions,
): Place | undefined {
  const shownAt = read?.shown.get(key);
  if (shownAt !== undefined) return { shownAt };
  const { anchor, covers, handed } = delivery;
  if (delivery.hidden) return undefined;
  if (read !== undefined && anchor !== undefined) {
    const at = read.places.get(key);
    if (at !== undefined) return { at };
    const isThere = isKept(delivery, read, lineage) && !mayBeMissing(read, isLeftBehind(delivery));
    return isThere && !(isUnknown && isOpen(delivery)) ? { kept: true } : undefined;
  }
  if (delivery.state === "abandoned" || !lineage.sees(delivery)) return undefined;
  const holder = isOpen(delivery) ? holderOf(delivery) : "ours";
  if (holder === "ours") return {};
  // An edge is sent once; a level may be sent by each of two concurrent turns, until one has left.
  return holder === "others" && (covers.length > 0 || handed) ? { elsewhere: true } : undefined;
}

/** What was sent before this request is with the provider, which continues from there. */
function isKept(delivery: Delivery, { history }: ReadRequest, lineage: Lineage): boolean {
  return history.kept !== undefined && delivery.state !== "abandoned" && lineage.sees(delivery);
}

/** A conversation of one name does not show whether it has the request that the other process may have sent. */
function mayBeMissing({ dialect, body }: ReadRequest, leftBehind: boolean): boolean {
  return leftBehind && dialect.kept?.(body)?.moves === false;
}

function isPassed(delivery: Delivery, { at, shownAt, kept }: Place, read: ReadRequest | undefined): boolean {
  if (kept) return delivery.state === "offered";
  const place = at ?? shownAt;
  if (read === undefined || place === undefined || delivery.state !== "offered") return false;
  return assistantsBehind(read.history, place) > delivery.assistantsBehind;
}

/**
 * Where the deliveries of a branch stand in this history, moved by its edits. One without a known place, as behind a
 * history that the provider keeps, stands where everything before it is unchanged.
 */
export function placesIn(
  { history, hunks }: Pick<ReadRequest, "history" | "hunks">,
  { state, choice }: Pick<ViewOptions, "state" | "choice">,
): Map<string, number> {
  const { prints, places, lost } = branchAt(state, choice);
  const lineage = lineageOf(state, choice);
  // One that lost its place was sent again elsewhere.
  const isAnyLost = Object.keys(lost).length > 0;
  const isLost = ({ covers, turn }: Delivery) => isAnyLost && covers.some((id) => (lost[id] ?? 0) > turn);
  const move = moverOf(prints.length, hunks);
  const found = new Map<string, number>();
  for (const [key, delivery] of listed(state.deliveries)) {
    const { anchor, hidden } = delivery;
    if (anchor === undefined || hidden) continue;
    const place = history.kept === undefined ? places[key] : undefined;
    const moved = place === undefined ? undefined : move(place);
    const mayStand = lineage.sees(delivery) && !isLost(delivery);
    const exact = mayStand ? positionOf(history, anchor) : undefined;
    // As it was sent, if everything before it is as it was then.
    const at = exact ?? moved;
    if (at !== undefined) found.set(key, at);
  }
  return found;
}

/** Reminders that a history contains, and blocks that only look like one. */
interface Shown {
  /** By key of the delivery: how many blocks stand before it. */
  shown: Map<string, number>;
  quotes: OwnBlock[];
}

/**
 * Deliveries that the history contains already, with their places. If several have the same text, it is the one that
 * belongs there. If all of them are accounted for elsewhere, the text is a quote.
 */
export function shownIn(
  read: Omit<ReadRequest, "shown">,
  { branches, deliveries }: Pick<State, "branches" | "deliveries">,
): Shown {
  const { places } = read;
  let before: ReadonlySet<OwnBlock> | undefined;
  const wasThere = (block: OwnBlock) => {
    before ??= thereBefore(read.history, branches);
    return before.has(block);
  };
  const isQuoteFor = quoteTest(read, deliveries);
  const shown = new Map<string, number>();
  const quotes: OwnBlock[] = [];
  for (const block of read.history.own)
    for (const text of block.said) {
      const free = (read.reminders.texts.get(text)?.deliveries ?? []).filter((key) => !shown.has(key));
      const due = free.filter((key) => !isQuoteFor(key, block, text));
      // Read as it was then: as a block that says nothing, and nothing of ours.
      if (block.whole && due.length === 0 && free.length > 0 && !wasThere(block)) continue;
      const there = due.find((one) => block.whole && isAt(places.get(one), block, read));
      if (there === undefined && wasThere(block)) {
        quotes.push(block);
        continue;
      }
      const key =
        there ??
        due.find((one) => isAt(places.get(one), block, read)) ??
        due.find((one) => isNear(places.get(one), block.at, read.history)) ??
        // It was said here before it was said there: a quote comes after what it quotes.
        due.find((one) => (places.get(one) ?? 0) > block.at) ??
        // A shorter request began with it: what stood before it is back.
        due.find((one) => block.whole && places.get(one) === 0) ??
        due.find((one) => !places.has(one));
      if (key !== undefined) shown.set(key, block.at);
      else quotes.push(block);
    }
  if (shown.size === 0) return { shown, quotes };
  // A client that keeps reminders has kept these as well, wherever they stood in a part of its history. But it does not move
  // one: where everything before its place is as it was then, it would stand there.
  const mayStand = (key: string, block: OwnBlock, text: string) => {
    const anchor = deliveries[key]?.anchor;
    const isMoved = anchor === undefined || positionOf(read.history, anchor) === undefined;
    return !shown.has(key) && isMoved && !isQuoteFor(key, block, text);
  };
  const isQuote = (block: OwnBlock) => {
    const texts = block.whole && !wasThere(block) ? block.said : [];
    const keys = texts.flatMap(
      (text) => read.reminders.texts.get(text)?.deliveries.find((key) => mayStand(key, block, text)) ?? [],
    );
    for (const key of keys) shown.set(key, block.at);
    return keys.length === 0;
  };
  return { shown, quotes: [...new Set(quotes)].filter(isQuote) };
}

/** Tells whether a block was there before a delivery that says the same. */
export function quoteTest(
  read: Omit<ReadRequest, "shown">,
  deliveries: State["deliveries"],
): (key: string, block: OwnBlock, text: string) => boolean {
  const { isOlder } = saidBefore(read.history, read.reminders);
  // Each is compared with every block that says the same.
  const known = new Map<string, readonly number[]>();
  const isThere = (key: string, block: OwnBlock) => {
    const places = known.get(key) ?? placesOf(read.places.get(key), read);
    known.set(key, places);
    return isOneOf(places, block);
  };
  return (key, block, text) => isOlder(block, text, deliveries[key], () => isThere(key, block));
}

/**
 * Blocks that the history had before with these texts in them, and that were no reminders: they are quotes. Of any branch:
 * as long as a quote is taken for a reminder, the history may seem to belong to another one.
 */
function thereBefore({ own, chain }: History, branches: State["branches"]): Set<OwnBlock> {
  const wanted = new Set(own.map(({ print }) => print));
  const counts = new Map<string, number>();
  for (const { prints } of Object.values(branches)) {
    const here = new Map<string, number>();
    const count = answerCounter((at) => prints[at]?.startsWith("a") === true);
    for (const [at, print] of prints.entries())
      if (wanted.has(print)) for (const key of [print, `${print} ${count(at)}`]) addOne(here, key);
    for (const [key, times] of here) counts.set(key, Math.max(times, counts.get(key) ?? 0));
  }
  const there = new Set<OwnBlock>();
  if (counts.size === 0) return there;
  const seen = new Map<string, number>();
  const count = answerCounter((at) => chain[at]?.role === "assistant");
  for (const block of own) {
    const { print = "", whole, at } = block;
    // Of whole ones the reminder itself may stand behind as many answers: it comes later.
    const key = whole ? `${print} ${count(at)}` : print;
    const times = counts.get(key) ?? 0;
    if (whole ? addOne(seen, key) <= times : times > 0) there.add(block);
  }
  return there;
}

function addOne(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

/** How many answers begin before a place; asked for places in their order. */
function answerCounter(isAnswer: (at: number) => boolean): (place: number) => number {
  let answers = 0;
  let at = 0;
  return (place) => {
    for (; at < place; at++) if (isAnswer(at) && !isAnswer(at - 1)) answers++;
    return answers;
  };
}

function isAt(place: number | undefined, block: OwnBlock, read: Omit<ReadRequest, "shown">): boolean {
  return isOneOf(placesOf(place, read), block);
}

/** The provider's rules may have moved it further back. */
function placesOf(place: number | undefined, read: Omit<ReadRequest, "shown">): readonly number[] {
  if (place === undefined) return [];
  const { dialect, body, history } = read;
  return [place, chainPosition(history, dialect.legal(body, bodyPosition(history, place)))];
}

function isOneOf(places: readonly number[], { at, whole }: OwnBlock): boolean {
  return places.some((one) => one === at || (!whole && one === at + 1));
}

/** A client that keeps reminders may move one a little; nobody quotes a reminder before it is answered. */
function isNear(place: number | undefined, at: number, { assistants }: History): boolean {
  return place !== undefined && assistants[place] === assistants[at];
}
