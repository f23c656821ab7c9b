// The fold: all that the log says, kept up to date in O(1) per entry.

import { changeConfig } from "./config-layers.ts";
import type { SessionEvent } from "./events.ts";
import { applyFacts, initialFacts, settleFacts } from "./facts/all.ts";
import type { RecordedFacts } from "./facts.ts";
import type { DeliveryState, Entry, OfferEntry, SettleEntry, TurnEntry } from "./log.ts";
import type { Outcome } from "./trace.ts";
import { addHead, branchOff, openBranch, type Tree } from "./tree.ts";

/** Raised whenever the shape below changes: older snapshots are then made anew. */
export const STATE_VERSION = 7;

export interface Delivery extends Omit<OfferEntry, "kind" | "v" | "state" | "at"> {
  seq: number;
  state: DeliveryState;
  /** Compaction took it out of view; kept only until it is settled. */
  hidden?: true;
  /** Out of its owner's hands: only what comes next tells what became of it. */
  handed?: true;
}

export interface State extends Tree {
  seq: number;
  turn: number;
  facts: RecordedFacts;
  /** By `id@branch`. */
  deliveries: Record<string, Delivery>;
  /** Text hashes of deliveries that compaction took out of view. */
  former: string[];
  /** Confirmed deliveries by type, for limits per session. */
  confirmed: Record<string, number>;
  /** The same by type and key, of keys that are counted. */
  confirmedKeys: Record<string, Record<string, number>>;
  /** Deliveries up to this entry no longer throttle anything. */
  throttlesFrom: number;
  superseded: { type: string; reason: string }[];
  outcomes: Record<string, Outcome>;
  config: Record<string, unknown>;
  started: boolean;
  /** Every name our tags had besides the usual ones. */
  tagNames: string[];
}

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
    confirmedKeys: {},
    throttlesFrom: 0,
    superseded: [],
    outcomes: {},
    config: {},
    started: false,
    tagNames: [],
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

function applyEvent(
  state: State,
  event: SessionEvent,
  { seq, at, owner }: { seq: number; at: string; owner?: string },
): void {
  const turns = assistantTurnsNow(state);
  const supersede = (type: string, reason: string) => state.superseded.push({ type, reason });
  applyFacts(state.facts, event, { seq, at, turns, supersede });
  if (event.type === "compacted") compact(state, seq);
  else if (event.type === "throttles_reset") state.throttlesFrom = seq;
  else if (event.type === "config_changed") state.config = changeConfig(state.config, event.config);
  else if (event.type === "tags_named") state.tagNames = [...new Set([...state.tagNames, ...event.names])];
  else if (event.type === "assistant_turn" && event.empty !== true) confirmUnanchored(state, owner);
  else if (event.type === "rewound") branchOff(state, `rewind-${seq}`, event.toTurn);
  else if (event.type === "session_started") {
    state.started = true;
    if (event.reason === "clear") {
      compact(state, seq);
      state.throttlesFrom = seq;
    }
  }
}

/** Counted from messages, the answer to the last turn is only seen in the next one: what happens now came after it. */
function assistantTurnsNow({ facts, turn }: State): number {
  const { reported, assistant } = facts.turns;
  return reported || turn === 0 ? assistant : assistant + 1;
}

function applyTurn(state: State, entry: TurnEntry & { seq: number }): void {
  state.turn = Math.max(state.turn, entry.turn);
  state.current = entry.branch;
  state.superseded = [];
  const branch = openBranch(state, entry);
  if (!state.facts.turns.reported) state.facts.turns.assistant = entry.assistantTurns;
  if (entry.head !== undefined) {
    const { turn, assistantTurns } = entry;
    addHead(branch, { ...entry.head, turn, assistantTurns });
  }
  Object.assign(state.outcomes, entry.outcomes);
}

function applyOffer(state: State, entry: OfferEntry & { seq: number }): void {
  const { kind: _kind, v: _version, at: _at, ...rest } = entry;
  const before = state.deliveries[deliveryKey(entry)];
  // What has left cannot be taken back: until somebody knows what became of it, nobody else's offer of it counts.
  if (before?.handed && !before.hidden && before.owner !== entry.owner) return;
  // Back in its old place it keeps its rank among the others there.
  const isBack = before?.anchor !== undefined && !before.hidden && before.anchor.hash === entry.anchor?.hash;
  state.deliveries[deliveryKey(entry)] = isBack ? { ...rest, seq: before.seq } : rest;
}

function applySettle(state: State, entry: SettleEntry): void {
  const key = deliveryKey(entry);
  const delivery = state.deliveries[key];
  if (delivery === undefined || delivery.state === "confirmed") return;
  if (entry.state === "handed") {
    if (delivery.state === "offered") delivery.handed = true;
    return;
  }
  delivery.state = entry.state;
  if (entry.unseen) delivery.unseen = (delivery.unseen ?? 0) + 1;
  delete delivery.handed;
  if (entry.state === "confirmed") confirm(state, delivery);
  if (delivery.hidden) delete state.deliveries[key];
}

function confirm(state: State, delivery: Delivery): void {
  delivery.state = "confirmed";
  const { type, key } = delivery;
  state.confirmed[type] = (state.confirmed[type] ?? 0) + 1;
  if (delivery.counted && key !== undefined) {
    state.confirmedKeys[type] ??= {};
    state.confirmedKeys[type][key] = (state.confirmedKeys[type][key] ?? 0) + 1;
  }
  const at = { branch: delivery.branch, turn: delivery.turn };
  settleFacts(state.facts, delivery.covers, at);
}

/**
 * The model answered: what was offered to this host, which keeps its own history, was seen. What another process
 * was offered may never have been sent.
 */
function confirmUnanchored(state: State, owner: string | undefined): void {
  for (const [key, delivery] of Object.entries(state.deliveries)) {
    if (delivery.state !== "offered" || delivery.anchor !== undefined || delivery.owner !== owner) continue;
    confirm(state, delivery);
    if (delivery.hidden) delete state.deliveries[key];
  }
}

function compact(state: State, seq: number): void {
  for (const [key, delivery] of Object.entries(state.deliveries)) {
    if (!delivery.hidden) state.former.push(...delivery.textHashes);
    if (delivery.state === "offered") delivery.hidden = true;
    else delete state.deliveries[key];
  }
  state.former.splice(0, state.former.length - FORMER_KEPT);
  for (const branch of Object.values(state.branches)) branch.heads = [];
  const current = state.branches[state.current];
  if (current !== undefined) Object.assign(current, { fresh: true, freshAt: seq });
}
