// The state of a session: a fold over its log, updated in O(1) per entry.

import { changeConfig } from "../config/layers.ts";
import type { EventOf, EventType, StoredEvent } from "../facts/events.ts";
import type { RecordedFacts } from "../facts/facts.ts";
import {
  applyFacts,
  divideFacts,
  edgesIn,
  factsChangedBy,
  finishFacts,
  initialFacts,
  renewFacts,
  settleFacts,
  sliceVersions,
} from "../facts/facts.ts";
import { type Finished, wholeId } from "../facts/pending.ts";
import {
  addAnswer,
  addHead,
  branchOff,
  changeHistory,
  dropDelivery,
  forgetHistory,
  listed,
  newBranch,
  openBranch,
  putDelivery,
  sinceThen,
  type Tree,
} from "./branches.ts";
import type { DeliveryState, Entry, OfferEntry, SettleEntry, Snapshot, TurnEntry } from "./entries.ts";
import { type Outcome, sharedOutcome } from "./trace.ts";

/** Raise it when the state below changes while `initialState` stays the same. For a fact, raise its slice's version. */
const FOLD_VERSION = 11;

export interface Delivery extends Omit<OfferEntry, "kind" | "v" | "state" | "at" | "divides"> {
  seq: number;
  state: DeliveryState;
  /** Compaction took it out of view. Kept until it is settled, or, if `words`, until it was sent again. */
  hidden?: true;
  /** Sent again because it had lost its place, which happens only once. */
  resent?: true;
  /** Handed over by its owner. Only a later request shows whether it arrived. */
  handed?: true;
  /** How it read when it was sent before, if it reads differently now: a client may have kept that. */
  earlier?: string[];
  /** How it was sent before. It counts again if nobody sends this offer. */
  replaces?: Omit<Delivery, "replaces">;
}

export interface State extends Tree {
  seq: number;
  turn: number;
  /** The log entry of the latest turn. */
  turnSeq: number;
  facts: RecordedFacts;
  /** By `id@branch`. */
  deliveries: Record<string, Delivery>;
  /** Text hashes of deliveries that compaction took out of view. */
  former: string[];
  /** Number of confirmed deliveries by type, for limits per session. */
  confirmed: Record<string, number>;
  /** The same by type and key, for keys that are counted. */
  confirmedKeys: Record<string, Record<string, number>>;
  /** The latest confirmed deliveries of types that back off, by type. In view or not. */
  rhythms: Record<string, Beat[]>;
  /** Deliveries up to this entry no longer throttle anything. */
  throttlesFrom: number;
  superseded: { type: string; reason: string }[];
  outcomes: Record<string, Outcome>;
  config: Record<string, unknown>;
  started: boolean;
  /** The log entry of the last rewind. What was claimed before can be claimed again. */
  rewoundAt: number;
  /** All names of our tags besides the default ones. */
  tagNames: string[];
}

/** When something was sent. */
export type Beat = Pick<Delivery, "seq" | "branch" | "turn" | "assistantTurns">;

const FORMER_KEPT = 2000;
// Each one doubles the gap, so there are never more.
const BEATS_KEPT = 20;

export function initialState(): State {
  return {
    seq: 0,
    turn: 0,
    turnSeq: 0,
    facts: initialFacts(),
    deliveries: {},
    branches: { main: newBranch("main") },
    current: "main",
    former: [],
    confirmed: {},
    confirmedKeys: {},
    rhythms: {},
    throttlesFrom: 0,
    superseded: [],
    outcomes: {},
    config: {},
    started: false,
    rewoundAt: 0,
    tagNames: [],
  };
}

let version: number | undefined;

/** Version of snapshots: a hash that changes with the slices and with the initial state. */
export function stateVersion(): number {
  version ??= hashOf(JSON.stringify([FOLD_VERSION, sliceVersions(), initialState()]));
  return version;
}

/** A word at a time: every call of a short-lived process needs it once. */
function hashOf(text: string): number {
  const bytes = new Uint8Array(text.length + 4 - (text.length % 4));
  new TextEncoder().encodeInto(text, bytes);
  let hash = 0x811c9dc5;
  for (const word of new Uint32Array(bytes.buffer)) hash = Math.imul(hash ^ word, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/**
 * The state in a snapshot. Undefined if it has another version or lacks a key: the log is then folded from its first
 * entry, as filling the gap would lose events from before the snapshot.
 */
export function restoredState({ version, state }: Snapshot): State | undefined {
  if (version !== stateVersion()) return undefined;
  const initial = initialState();
  if (!hasKeysOf(initial, state) || !hasKeysOf(initial.facts, state.facts)) return undefined;
  const facts: Record<string, unknown> = state.facts;
  const isWhole = Object.entries<object>(initial.facts).every(([name, fact]) => hasKeysOf(fact, facts[name]));
  if (!isWhole) return undefined;
  for (const [type, outcome] of Object.entries(state.outcomes)) state.outcomes[type] = sharedOutcome(outcome);
  return state;
}

function hasKeysOf<T extends object>(initial: T, value: unknown): value is T {
  if (typeof value !== "object" || value === null) return false;
  return Object.keys(initial).every((key) => Object.hasOwn(value, key));
}

export function applyEntry(state: State, entry: Entry): void {
  state.seq = entry.seq;
  if (entry.kind === "event") applyEvent(state, entry.event, entry);
  else if (entry.kind === "turn") applyTurn(state, entry);
  else if (entry.state === "offered") applyOffer(state, entry);
  else applySettle(state, entry);
}

export function deliveryKey(delivery: { id: string; branch: string }): string {
  return `${delivery.id}@${delivery.branch}`;
}

function applyEvent(
  state: State,
  event: StoredEvent,
  { seq, at, owner }: { seq: number; at: string; owner?: string },
): void {
  const turns = assistantTurnsNow(state);
  const supersede = (type: string, reason: string) => state.superseded.push({ type, reason });
  applyFacts(state.facts, event, { seq, at, turns, supersede });
  const change = beyondFacts[event.type] as Change<StoredEvent> | undefined;
  change?.(state, event, { seq, owner });
}

type Change<Event> = (state: State, event: Event, entry: { seq: number; owner: string | undefined }) => void;

/** What events change in the state besides facts. */
const beyondFacts: { [Type in EventType]?: Change<EventOf<Type>> } = {
  compacted: (state, event, { seq }) => compact(state, seq, summarised(event)),
  throttles_reset(state, _event, { seq }) {
    state.throttlesFrom = seq;
  },
  config_changed(state, { config }) {
    state.config = changeConfig(state.config, config);
  },
  answer_kept: (state, { turn, name }) => addAnswer(state, turn, name),
  tags_named(state, { names }) {
    state.tagNames = [...new Set([...state.tagNames, ...names])];
  },
  assistant_turn(state, { empty }, { owner }) {
    if (empty !== true) confirmUnanchored(state, owner);
  },
  rewound(state, { toTurn }, { seq }) {
    branchOff(state, `rewind-${seq}`, toTurn);
    state.rewoundAt = seq;
  },
  session_started(state, { reason }, { seq }) {
    state.started = true;
    if (reason !== "clear") return;
    // Nothing of a cleared conversation comes back, except what was sent only in part: that is sent again in full.
    const begun = partlySaid(state.facts);
    const isOver = (id: string) => !begun.has(wholeId(id));
    compact(state, seq, { said: isOver, due: isOver });
    state.throttlesFrom = seq;
  },
};

/** Whether an entry changes facts only, and at most these. */
export function changedFacts(entry: Entry): readonly string[] | undefined {
  if (entry.kind === "turn") return NONE;
  if (entry.kind !== "event" || entry.event.type in beyondFacts) return undefined;
  return factsChangedBy(entry.event.type);
}

const NONE: readonly string[] = [];

/** When counted in requests, the answer to the last turn shows only in the next one, so it is added here. */
function assistantTurnsNow({ facts, turn }: State): number {
  const { reported, assistant } = facts.turns;
  return reported || turn === 0 ? assistant : assistant + 1;
}

function applyTurn(state: State, entry: TurnEntry & { seq: number }): void {
  if (state.turn === 0 && !state.facts.turns.reported) state.facts.turns.before = entry.assistantTurns;
  const isNew = entry.turn > state.turn;
  state.turn = Math.max(state.turn, entry.turn);
  const { start } = state.facts;
  // What no event has touched is shared with other sessions.
  if (!start.turned) state.facts.start = { ...start, turned: true };
  state.turnSeq = entry.seq;
  state.current = entry.branch;
  state.superseded = [];
  const branch = openBranch(state, entry);
  if (!state.facts.turns.reported) state.facts.turns.assistant = entry.assistantTurns;
  if (entry.head !== undefined) {
    const { turn, seq, assistantTurns } = entry;
    const { anchor, assistants, since, kept, dialect, hunks: given = [] } = entry.head;
    const hunks = kept === undefined ? sinceThen(branch, { since, hunks: given }) : [];
    if (hunks !== undefined) {
      changeHistory(state, branch, { hunks, turn, seq });
      if (dialect !== undefined) branch.dialect = dialect;
      const head = { anchor, assistants, turn, seq, assistantTurns };
      addHead(branch, kept === undefined ? head : { ...head, kept }, isNew);
    }
  }
  addOutcomes(state, entry.outcomes);
}

function addOutcomes(state: State, outcomes: TurnEntry["outcomes"]): void {
  const changed = Object.entries(outcomes);
  if (changed.length === 0) return;
  const isFirst = Object.keys(state.outcomes).length === 0;
  // Parsed at once, an object takes a sixth of the memory of one that is filled key by key.
  if (isFirst) state.outcomes = JSON.parse(JSON.stringify(outcomes)) as State["outcomes"];
  for (const [type, outcome] of changed) state.outcomes[type] = sharedOutcome(outcome);
}

function applyOffer(state: State, entry: OfferEntry & { seq: number }): void {
  const { kind: _kind, v: _version, at: _at, divides, ...rest } = entry;
  const before = state.deliveries[deliveryKey(entry)];
  // It may have arrived. Until that is known, offers of it by others are ignored.
  if (before?.handed && !before.hidden && before.owner !== entry.owner) return;
  // Back in its old place it keeps its order among the others there.
  const isBack = before?.anchor !== undefined && !before.hidden && before.anchor.hash === entry.anchor?.hash;
  if (divides !== undefined) divide(state, divides);
  const branch = state.branches[entry.branch];
  const resent = isBack ? before.resent : entry.covers.some((id) => branch?.lost[id] !== undefined);
  putDelivery(state.deliveries, deliveryKey(entry), {
    ...rest,
    ...(isBack ? { seq: before.seq } : {}),
    ...(resent ? { resent } : {}),
    ...(before === undefined ? {} : replacing(before, entry)),
  });
  // After a history that the provider keeps, places are found by their hash.
  const isPlaced = entry.anchor !== undefined && branch?.heads.at(-1)?.kept === undefined;
  if (isPlaced && !isBack && branch !== undefined)
    branch.places[deliveryKey(entry)] = entry.anchor?.blocks ?? 0;
}

const EARLIER_KEPT = 4;

function replacing(before: Delivery, { blocks }: OfferEntry): Pick<Delivery, "earlier" | "replaces"> {
  const { replaces: _replaces, ...last } = before;
  const textsOf = (all: OfferEntry["blocks"]) =>
    all.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const now = textsOf(blocks);
  const earlier = [...(before.earlier ?? []), ...textsOf(before.blocks)].filter(
    (text) => !now.includes(text),
  );
  return { replaces: last, ...(earlier.length === 0 ? {} : { earlier: earlier.slice(-EARLIER_KEPT) }) };
}

/** Deliveries that covered the whole edge now cover both parts. */
function divide(state: State, divides: { id: string; at: number }): void {
  const later = divideFacts(state.facts, divides);
  if (later === undefined) return;
  for (const [, delivery] of listed(state.deliveries))
    if (delivery.covers.includes(divides.id)) delivery.covers = [...delivery.covers, later];
}

function applySettle(state: State, entry: SettleEntry): void {
  const key = deliveryKey(entry);
  const delivery = state.deliveries[key];
  if (delivery === undefined || delivery.state === "confirmed") return;
  if (entry.state === "handed") {
    if (delivery.state === "offered") delivery.handed = true;
    return;
  }
  // Others have offered it since.
  if (entry.owner !== undefined && entry.owner !== delivery.owner) return;
  const branch = state.branches[entry.branch];
  // The last turn may have sent it, if it is a later one.
  const maySend = state.turnSeq > delivery.seq && state.current === entry.branch;
  if (entry.unsent && !(maySend && sendsEarlier(branch?.heads.at(-1)))) {
    forgetUnsent(state, entry);
    return;
  }
  delivery.state = entry.state;
  delete delivery.replaces;
  if (entry.unseen) delivery.unseen = (delivery.unseen ?? 0) + 1;
  delete delivery.handed;
  if (entry.state === "confirmed") confirm(state, delivery);
  if (isOver(delivery)) dropDelivery(state.deliveries, key);
}

/** Whether a turn sends what earlier ones offered. Behind a history that the provider keeps, only new things go out. */
export function sendsEarlier(head: { kept?: string } | undefined): boolean {
  return head !== undefined && head.kept === undefined;
}

/** An offer that nobody has sent leaves no trace. */
export function forgetUnsent(state: State, offer: { id: string; branch: string }): void {
  const key = deliveryKey(offer);
  const before = state.deliveries[key]?.replaces;
  if (before === undefined) dropDelivery(state.deliveries, key);
  else putDelivery(state.deliveries, key, before);
  delete state.branches[offer.branch]?.places[key];
}

/** Whether it can be forgotten. Confirmed `words` are kept, as a part of the history that was kept may still show them. */
function isOver({ hidden, words, state }: Delivery): boolean {
  return hidden === true && !(words && state === "confirmed");
}

function confirm(state: State, delivery: Delivery): void {
  delivery.state = "confirmed";
  const { type, key } = delivery;
  state.confirmed[type] = (state.confirmed[type] ?? 0) + 1;
  if (delivery.counted && key !== undefined) {
    state.confirmedKeys[type] ??= {};
    state.confirmedKeys[type][key] = (state.confirmedKeys[type][key] ?? 0) + 1;
  }
  const { seq, branch, turn, assistantTurns, covers, words = false, hidden } = delivery;
  if (delivery.backsOff)
    state.rhythms[type] = [...(state.rhythms[type] ?? []), { seq, branch, turn, assistantTurns }].slice(
      -BEATS_KEPT,
    );
  settleFacts(state.facts, covers, { branch, turn, words });
  // The history was replaced during the call, so this text is already out of view.
  if (words && hidden) renewFacts(state.facts, { seq: state.seq, left: (id) => covers.includes(id) });
}

/**
 * The model answered, so it has seen what was offered to this host, which keeps its own history. Offers to other
 * processes may never have been sent.
 */
function confirmUnanchored(state: State, owner: string | undefined): void {
  for (const [key, delivery] of listed(state.deliveries)) {
    if (delivery.state !== "offered" || delivery.anchor !== undefined || delivery.owner !== owner) continue;
    confirm(state, delivery);
    if (isOver(delivery)) dropDelivery(state.deliveries, key);
  }
}

/** Which text of people is part of the summary. What waits to be sent again is not, unless it is listed. */
function summarised({ summarised: given = [] }: EventOf<"compacted">): Finished {
  if (given === "all") return { said: () => true, due: () => false };
  const ids = new Set(given);
  return { said: (id) => ids.has(id), due: (id) => ids.has(id) };
}

function compact(state: State, seq: number, finished: Finished): void {
  finishFacts(state.facts, finished);
  renewFacts(state.facts, { seq, left: () => true });
  const renewed = renewedIn(state.facts);
  for (const [key, delivery] of listed(state.deliveries)) {
    if (!delivery.hidden) state.former.push(...delivery.textHashes);
    // A part of the history that was kept may still show text that is due again.
    const isNeeded = delivery.state === "offered" || delivery.covers.some((id) => renewed.has(id));
    if (isNeeded) delivery.hidden = true;
    else dropDelivery(state.deliveries, key);
  }
  state.former.splice(0, state.former.length - FORMER_KEPT);
  for (const branch of Object.values(state.branches)) forgetHistory(branch);
  const current = state.branches[state.current];
  if (current !== undefined)
    Object.assign(current, { fresh: true, freshAt: seq, freshTurns: assistantTurnsNow(state) });
}

/** Ids of edges that were sent only in part. */
function partlySaid(facts: RecordedFacts): Set<string> {
  const open = edgesIn(facts).flatMap(({ pending }) => pending.filter(({ part, was }) => part && !was));
  return new Set(open.map(({ id }) => wholeId(id)));
}

/** Old ids of edges that are due again under new ids. */
function renewedIn(facts: RecordedFacts): Set<string> {
  return new Set(edgesIn(facts).flatMap(({ pending }) => pending.flatMap(({ was }) => was ?? [])));
}
