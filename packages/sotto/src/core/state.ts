// The fold: all that the log says, kept up to date in O(1) per entry.

import type { Anchor } from "./anchor.ts";
import type { SessionEvent } from "./events.ts";
import { applyFacts, initialFacts, settleFact } from "./facts/all.ts";
import type { RecordedFacts } from "./facts.ts";
import type { DeliveryState, Entry, OfferEntry, SettleEntry, TurnEntry } from "./log.ts";
import type { Outcome } from "./trace.ts";

/** Raised whenever the shape below changes: older snapshots are then made anew. */
export const STATE_VERSION = 1;

export interface Delivery extends Omit<OfferEntry, "kind" | "v" | "state" | "at"> {
  seq: number;
  state: DeliveryState;
  /** Compaction took it out of view; kept only until it is settled. */
  hidden?: true;
}

/** Where the history of a turn ended. */
export interface Head {
  turn: number;
  anchor: Anchor;
  assistants: number;
  assistantTurns: number;
}

export interface Branch {
  id: string;
  parent?: { branch: string; turn: number };
  /** The model's view began anew here: nothing of the parent is in view. */
  fresh: boolean;
  heads: Head[];
}

export interface State {
  seq: number;
  turn: number;
  facts: RecordedFacts;
  /** By `id@branch`. */
  deliveries: Record<string, Delivery>;
  branches: Record<string, Branch>;
  current: string;
  /** Text hashes of deliveries that compaction took out of view. */
  former: string[];
  /** Confirmed deliveries by type, for limits per session. */
  confirmed: Record<string, number>;
  /** Deliveries up to this entry no longer throttle anything. */
  throttlesFrom: number;
  superseded: { type: string; reason: string }[];
  outcomes: Record<string, Outcome>;
  config: Record<string, unknown>;
  started: boolean;
}

const HEADS_KEPT = 64;
const BRANCHES_KEPT = 16;
const FORMER_KEPT = 2000;

export function initialState(): State {
  return {
    seq: 0,
    turn: 0,
    facts: initialFacts(),
    deliveries: {},
    branches: { main: { id: "main", fresh: false, heads: [] } },
    current: "main",
    former: [],
    confirmed: {},
    throttlesFrom: 0,
    superseded: [],
    outcomes: {},
    config: {},
    started: false,
  };
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

function applyEvent(state: State, event: SessionEvent, { seq, at }: { seq: number; at: string }): void {
  const turns = state.facts.turns.assistant;
  const supersede = (type: string, reason: string) => state.superseded.push({ type, reason });
  applyFacts(state.facts, event, { seq, at, turns, supersede });
  if (event.type === "compacted") compact(state);
  else if (event.type === "throttles_reset") state.throttlesFrom = seq;
  else if (event.type === "config_changed") state.config = { ...state.config, ...event.config };
  else if (event.type === "assistant_turn" && event.empty !== true) confirmUnanchored(state);
  else if (event.type === "rewound") branchOff(state, `rewind-${seq}`, event.toTurn);
  else if (event.type === "session_started") {
    state.started = true;
    if (event.reason === "clear") {
      compact(state);
      state.throttlesFrom = seq;
    }
  }
}

function applyTurn(state: State, entry: TurnEntry & { seq: number }): void {
  state.turn = Math.max(state.turn, entry.turn);
  state.current = entry.branch;
  state.superseded = [];
  const branch = openBranch(state, entry);
  if (!state.facts.turns.reported) state.facts.turns.assistant = entry.assistantTurns;
  if (entry.head !== undefined) {
    const { anchor, assistants } = entry.head;
    branch.heads = branch.heads.filter((head) => head.turn !== entry.turn);
    branch.heads.push({ turn: entry.turn, anchor, assistants, assistantTurns: entry.assistantTurns });
    if (branch.heads.length > HEADS_KEPT) branch.heads.shift();
  }
  Object.assign(state.outcomes, entry.outcomes);
}

function openBranch(state: State, { branch: id, parent, fresh }: TurnEntry): Branch {
  const known = state.branches[id];
  if (known !== undefined) return known;
  const inherited = parent === undefined || fresh ? [] : headsUpTo(state, parent.branch, parent.turn);
  const branch: Branch = {
    id,
    fresh: fresh === true,
    heads: inherited,
    ...(parent === undefined ? {} : { parent }),
  };
  state.branches[id] = branch;
  forgetOldBranches(state);
  return branch;
}

function headsUpTo(state: State, id: string, turn: number): Head[] {
  return (state.branches[id]?.heads ?? []).filter((head) => head.turn <= turn);
}

function branchOff(state: State, id: string, toTurn: number): void {
  const parent = { branch: state.current, turn: toTurn };
  state.branches[id] = { id, parent, fresh: false, heads: headsUpTo(state, state.current, toTurn) };
  state.current = id;
}

function applyOffer(state: State, entry: OfferEntry & { seq: number }): void {
  const { kind: _kind, v: _version, at: _at, ...rest } = entry;
  state.deliveries[deliveryKey(entry)] = rest;
}

function applySettle(state: State, entry: SettleEntry): void {
  const key = deliveryKey(entry);
  const delivery = state.deliveries[key];
  if (delivery === undefined || delivery.state === "confirmed") return;
  delivery.state = entry.state;
  if (entry.state === "confirmed") confirm(state, delivery);
  if (delivery.hidden) delete state.deliveries[key];
}

function confirm(state: State, delivery: Delivery): void {
  delivery.state = "confirmed";
  state.confirmed[delivery.type] = (state.confirmed[delivery.type] ?? 0) + 1;
  const at = { branch: delivery.branch, turn: delivery.turn };
  for (const id of delivery.covers) settleFact(state.facts, id, at);
}

/** The model answered: what was offered to a host that keeps its own history was seen. */
function confirmUnanchored(state: State): void {
  for (const delivery of Object.values(state.deliveries))
    if (delivery.state === "offered" && delivery.anchor === undefined) confirm(state, delivery);
}

function compact(state: State): void {
  for (const [key, delivery] of Object.entries(state.deliveries)) {
    if (!delivery.hidden) state.former.push(...delivery.textHashes);
    if (delivery.state === "offered") delivery.hidden = true;
    else delete state.deliveries[key];
  }
  state.former.splice(0, state.former.length - FORMER_KEPT);
  for (const branch of Object.values(state.branches)) branch.heads = [];
  const current = state.branches[state.current];
  if (current !== undefined) current.fresh = true;
}

function forgetOldBranches(state: State): void {
  const kept = new Set([state.current, ...lineage(state, state.current)]);
  const old = Object.keys(state.branches).filter((id) => !kept.has(id));
  for (const id of old.slice(0, Math.max(0, old.length + kept.size - BRANCHES_KEPT))) {
    delete state.branches[id];
    for (const [key, delivery] of Object.entries(state.deliveries))
      if (delivery.branch === id) delete state.deliveries[key];
  }
}

/** Branch ids from a branch up to its root. */
function lineage(state: State, id: string): string[] {
  const ids: string[] = [];
  let at: string | undefined = id;
  while (at !== undefined && !ids.includes(at)) {
    ids.push(at);
    at = state.branches[at]?.parent?.branch;
  }
  return ids;
}
