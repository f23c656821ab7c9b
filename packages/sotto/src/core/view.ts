// What the model has in view on a branch: the deliveries its history shows, or will show where they are put back.

import type { Finder } from "./anchor.ts";
import { type BranchChoice, type Lineage, lineageOf } from "./branch.ts";
import type { Dialect } from "./dialect.ts";
import { dueEdges, type SettledAt } from "./edge.ts";
import { hasEdges } from "./facts/all.ts";
import { assistantsBehind, bodyPosition, chainPosition, type History } from "./history.ts";
import type { ReminderTexts } from "./recognise.ts";
import { type Delivery, deliveryKey, type State } from "./state.ts";

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
interface Read {
  dialect: Dialect;
  body: unknown;
  history: History;
  finder: Finder;
  reminders: ReminderTexts;
}

export interface View {
  inView: Placed[];
  /** Edges that this request says already. */
  covered: Set<string>;
  heard(at: SettledAt): boolean;
  sees(at: SettledAt): boolean;
  /** Offered before, and the history now goes past it with an assistant message. */
  passed: Delivery[];
  /** Not confirmed yet, and said again by this very turn. */
  again: Placed[];
  compacted: boolean;
  /** The entry the view last began anew with. */
  since?: number;
}

export interface ViewOptions {
  state: State;
  choice: BranchChoice;
  handsOf(delivery: Delivery): Hands;
  read?: Read | undefined;
}

export function createView({ state, choice, handsOf, read }: ViewOptions): View {
  const lineage = lineageOf(state, choice);
  const { heard, sees, compacted, since } = lineage;
  const shown = read === undefined ? new Map<string, number>() : shownIn(read, state);
  const view: View = { inView: [], covered: new Set(), heard, sees, passed: [], again: [], compacted };
  if (since !== undefined) view.since = since;
  const add = (placed: Placed) => {
    view.inView.push(placed);
    for (const id of placed.delivery.covers) view.covered.add(id);
  };
  const candidates = Object.values(state.deliveries).flatMap(
    (delivery) => place(delivery, { shown, read, lineage, handsOf }) ?? [],
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
function* interrupted(state: State, { inView, heard, covered }: View): Generator<Delivery> {
  const open = Object.values(state.deliveries).filter(
    ({ state: settled, anchor, hidden, branch, turn, covers }) =>
      settled !== "confirmed" && !anchor && !hidden && heard({ branch, turn }) && covers.length > 0,
  );
  if (open.length === 0) return;
  // Which mode is on is for triggers to say: by now it may be another.
  const { mode: _mode, ...facts } = state.facts;
  const edges = Object.values<unknown>(facts).filter(hasEdges);
  const due = new Set(edges.flatMap((fact) => dueEdges(fact, heard, covered)).map(({ id }) => id));
  const busy = new Set(inView.flatMap(({ delivery, elsewhere }) => (elsewhere ? delivery.covers : [])));
  for (const delivery of open) {
    const { covers } = delivery;
    if (covers.every((id) => due.has(id) && !covered.has(id))) yield delivery;
    // A part of it is in other hands just now: the rest waits, so as not to be said under another id.
    else if (covers.some((id) => busy.has(id))) for (const id of covers) covered.add(id);
  }
}

interface PlaceOptions extends Pick<ViewOptions, "handsOf" | "read"> {
  shown: ReadonlyMap<string, number>;
  lineage: Lineage;
}

function place(delivery: Delivery, { shown, read, lineage, handsOf }: PlaceOptions): Placed | undefined {
  const shownAt = shown.get(deliveryKey(delivery));
  if (shownAt !== undefined) return { delivery, shownAt };
  const { branch, turn, anchor, covers, handed } = delivery;
  if (delivery.hidden) return undefined;
  if (read !== undefined && anchor !== undefined) {
    // A place that two branches share: what one of them said there does not stand in the other's requests.
    const at = lineage.heard({ branch, turn }) ? read.finder.find(anchor) : undefined;
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
 * Deliveries that the history shows already, with their places. Many may have the same text: it is the one that
 * belongs there, so that nothing else counts as said where somebody quotes it.
 */
function shownIn(read: Read, state: State): Map<string, number> {
  const shown = new Map<string, number>();
  const places = new Map<string, Places>();
  for (const { said, at, whole } of read.history.own)
    for (const text of said) {
      const known = places.get(text) ?? placesOf(text, read, state);
      places.set(text, known);
      const { standing, lost, all } = known;
      const here = [...(standing.get(at) ?? []), ...(whole ? [] : (standing.get(at + 1) ?? []))];
      const open = [...here, ...lost, ...(whole && all.length === 1 ? all : [])];
      const key = open.find((one) => !shown.has(one));
      if (key !== undefined) shown.set(key, at);
    }
  return shown;
}

/** Where deliveries of one text belong. */
interface Places {
  standing: Map<number, string[]>;
  /** Those whose place is not in this history. */
  lost: string[];
  all: readonly string[];
}

function placesOf(text: string, { dialect, body, history, finder, reminders }: Read, state: State): Places {
  const all = reminders.texts.get(text)?.deliveries ?? [];
  const places: Places = { standing: new Map(), lost: [], all };
  for (const key of all) {
    const anchor = state.deliveries[key]?.anchor;
    const place = anchor && finder.find(anchor);
    if (place === undefined) places.lost.push(key);
    // By the provider's rules it may stand further behind.
    else
      for (const at of new Set([
        place,
        chainPosition(history, dialect.legal(body, bodyPosition(history, place))),
      ]))
        places.standing.set(at, [...(places.standing.get(at) ?? []), key]);
  }
  return places;
}
