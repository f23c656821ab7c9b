// What the model has in view on a branch: the deliveries its history shows, or will show where they are put back.

import type { Dialect } from "../dialects/dialect.ts";
import { hasEdges } from "../facts/facts.ts";
import { dueEdges, type Hearing } from "../facts/pending.ts";
import { branchAt, lostAfter } from "../log/branches.ts";
import { type Hunk, moverOf, type Print } from "../log/hunks.ts";
import { type Delivery, deliveryKey, type State } from "../log/state.ts";
import { type Beginning, type BranchChoice, type Lineage, lineageOf } from "./branch.ts";
import type { ReminderTexts } from "./history.ts";
import { assistantsBehind, bodyPosition, chainPosition, type History, type OwnBlock } from "./history.ts";

export interface Placed {
  delivery: Delivery;
  /** How many blocks stand before it, where it has to be put back. */
  at?: number;
  /** The same, where the history shows it already. */
  shownAt?: number;
  /** Another turn or process is saying it just now. */
  elsewhere?: true;
  /** It stands in what the provider keeps. */
  kept?: true;
}

/** Who has an offer that was neither confirmed nor given up: a host that may ask for it again, or someone else. */
export type Hands = "ours" | "others" | "nobody";

/** A request that was read. */
export interface Read {
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
  inView: Placed[];
  covered: Set<string>;
  /** Offered before, and the history now goes past it with an assistant message. */
  passed: Delivery[];
  /** Not confirmed yet, and said again by this very turn. */
  again: Placed[];
  compacted: boolean;
  /** Where the view last began anew. */
  since?: Beginning;
}

export interface ViewOptions {
  state: State;
  choice: BranchChoice;
  /** The number of this turn. */
  turn: number;
  handsOf(delivery: Delivery): Hands;
  read?: Read | undefined;
}

export function createView({ state, choice, turn, handsOf, read }: ViewOptions): View {
  const lineage = lineageOf(state, choice);
  const { heard, sees, compacted, since } = lineage;
  const lost = lostAfter(state, branchAt(state, choice), { hunks: read?.hunks ?? [], turn });
  const view: View = { inView: [], covered: new Set(), heard, sees, lost, passed: [], again: [], compacted };
  if (since !== undefined) view.since = since;
  const add = (placed: Placed) => {
    view.inView.push(placed);
    for (const id of placed.delivery.covers) view.covered.add(id);
  };
  const candidates = Object.values(state.deliveries).flatMap(
    (delivery) => place(delivery, { read, lineage, handsOf }) ?? [],
  );
  for (const placed of withoutRivals(candidates)) {
    add(placed);
    if (isPassed(placed, read)) view.passed.push(placed.delivery);
  }
  if (read === undefined) for (const delivery of interrupted(state, view)) add({ delivery });
  const passed = new Set(view.passed);
  view.again = view.inView
    .filter(({ delivery }) => delivery.state !== "confirmed" && !passed.has(delivery))
    .filter((placed) => !isAnothers(placed, read))
    .sort((a, b) => a.delivery.seq - b.delivery.seq);
  return view;
}

/** An offer that another turn or process has under way stays its own, unless it stands in this request, too. */
function isAnothers({ at, shownAt, elsewhere }: Placed, read: Read | undefined): boolean {
  return at === undefined && shownAt === undefined && (read !== undefined || elsewhere === true);
}

/**
 * Processes that raced may both have offered an edge before one of them gave up. It stands in a request once: as it
 * was confirmed or is shown, else as it was offered first.
 */
function withoutRivals(candidates: readonly Placed[]): Placed[] {
  const isSaid = ({ delivery, shownAt }: Placed) => delivery.state === "confirmed" || shownAt !== undefined;
  const said = candidates.filter(isSaid);
  const covered = new Set(said.flatMap(({ delivery }) => delivery.covers));
  const open = candidates.filter((placed) => {
    const { covers } = placed.delivery;
    if (isSaid(placed) || covers.some((id) => covered.has(id))) return false;
    for (const id of covers) covered.add(id);
    return true;
  });
  return [...said, ...open];
}

/**
 * Handed to a host that places reminders itself, and never confirmed. It may stand in that host's history by now,
 * so it is said again as it was, under the same id, while all of it is still to be said.
 */
function* interrupted(state: State, view: View): Generator<Delivery> {
  const { inView, heard, covered } = view;
  const open = Object.values(state.deliveries).filter(
    ({ state: settled, anchor, hidden, branch, turn, covers }) =>
      settled !== "confirmed" && !anchor && !hidden && heard({ branch, turn }) && covers.length > 0,
  );
  if (open.length === 0) return;
  // Which mode is on is for triggers to say: by now it may be another.
  const { mode: _mode, ...facts } = state.facts;
  const edges = Object.values<unknown>(facts).filter(hasEdges);
  const due = new Set(edges.flatMap((fact) => dueEdges(fact, view)).map(({ id }) => id));
  const busy = new Set(inView.flatMap(({ delivery, elsewhere }) => (elsewhere ? delivery.covers : [])));
  for (const delivery of open) {
    const { covers } = delivery;
    if (covers.every((id) => due.has(id) && !covered.has(id))) yield delivery;
    // A part of it is in other hands just now: the rest waits, so as not to be said under another id.
    else if (covers.some((id) => busy.has(id))) for (const id of covers) covered.add(id);
  }
}

interface PlaceOptions extends Pick<ViewOptions, "handsOf" | "read"> {
  lineage: Lineage;
}

function place(delivery: Delivery, { read, lineage, handsOf }: PlaceOptions): Placed | undefined {
  const shownAt = read?.shown.get(deliveryKey(delivery));
  if (shownAt !== undefined) return { delivery, shownAt };
  const { branch, turn, anchor, covers, handed } = delivery;
  if (delivery.hidden) return undefined;
  if (read !== undefined && anchor !== undefined) {
    const at = read.places.get(deliveryKey(delivery));
    if (at !== undefined) return { delivery, at };
    return isKept(delivery, read, lineage) ? { delivery, kept: true } : undefined;
  }
  if (delivery.state === "abandoned" || !lineage.sees({ branch, turn })) return undefined;
  const hands = delivery.state === "confirmed" ? "ours" : handsOf(delivery);
  if (hands === "ours") return { delivery };
  // What happened is said once; how things are may be said in each of two turns at once, until one has left.
  return hands === "others" && (covers.length > 0 || handed) ? { delivery, elsewhere: true } : undefined;
}

/** What was sent before this request is with the provider: it goes on from there. What was given up never was. */
function isKept({ state, branch, turn }: Delivery, { history }: Read, lineage: Lineage): boolean {
  return history.kept !== undefined && state !== "abandoned" && lineage.sees({ branch, turn });
}

function isPassed({ delivery, at, shownAt, kept }: Placed, read: Read | undefined): boolean {
  if (kept) return delivery.state === "offered";
  const place = at ?? shownAt;
  if (read === undefined || place === undefined || delivery.state !== "offered") return false;
  return assistantsBehind(read.history, place) > delivery.assistantsBehind;
}

/**
 * Where the deliveries of a branch stand in this history: as its edits have moved them. What has no place among them,
 * as behind a history that a provider kept, stands where everything before it is as it was.
 */
export function placesIn(
  { history, hunks }: Pick<Read, "history" | "hunks">,
  { state, choice }: Pick<ViewOptions, "state" | "choice">,
): Map<string, number> {
  const { prints, places, lost } = branchAt(state, choice);
  const lineage = lineageOf(state, choice);
  // What has lost its place was sent again elsewhere.
  const isLost = ({ covers, turn }: Delivery) => covers.some((id) => (lost[id] ?? 0) > turn);
  const move = moverOf(prints.length, hunks);
  const found = new Map<string, number>();
  for (const [key, delivery] of Object.entries(state.deliveries)) {
    const { anchor, branch, turn, hidden } = delivery;
    if (anchor === undefined || hidden) continue;
    const place = history.kept === undefined ? places[key] : undefined;
    const moved = place === undefined ? undefined : move(place);
    const mayStand = lineage.sees({ branch, turn }) && !isLost(delivery);
    const exact = mayStand ? history.positions.get(anchor.hash) : undefined;
    const at = moved ?? exact;
    if (at !== undefined) found.set(key, at);
  }
  return found;
}

/** Reminders that stand in a history, and blocks that only read like one. */
interface Shown {
  /** By key of the delivery: how many blocks stand before it. */
  shown: Map<string, number>;
  quotes: OwnBlock[];
}

/**
 * Deliveries that the history shows already, with their places. Many may have the same text: it is the one that
 * belongs there. The same words elsewhere, while all that have them have places of their own, are somebody's quote.
 */
export function shownIn(read: Omit<Read, "shown">, prints: readonly Print[]): Shown {
  const { places } = read;
  const before = new Set(read.history.own.length === 0 ? [] : prints);
  const shown = new Map<string, number>();
  const quotes: OwnBlock[] = [];
  for (const block of read.history.own)
    for (const text of block.said) {
      // Words around it that stood there before, with it in them: they quote it.
      if (!block.whole && block.print !== undefined && before.has(block.print)) {
        quotes.push(block);
        continue;
      }
      const all = (read.reminders.texts.get(text)?.deliveries ?? []).filter((key) => !shown.has(key));
      const key =
        all.find((one) => isAt(places.get(one), block, read)) ??
        all.find((one) => isNear(places.get(one), block.at, read.history)) ??
        all.find((one) => !places.has(one));
      if (key !== undefined) shown.set(key, block.at);
      else quotes.push(block);
    }
  return { shown, quotes };
}

/** By the provider's rules it may stand further behind. */
function isAt(place: number | undefined, { at, whole }: OwnBlock, read: Omit<Read, "shown">): boolean {
  if (place === undefined) return false;
  const { dialect, body, history } = read;
  const legal = chainPosition(history, dialect.legal(body, bodyPosition(history, place)));
  return [place, legal].some((one) => one === at || (!whole && one === at + 1));
}

/** A client that keeps reminders may move one a little; nobody quotes one that was not answered yet. */
function isNear(place: number | undefined, at: number, { assistants }: History): boolean {
  return place !== undefined && assistants[place] === assistants[at];
}
