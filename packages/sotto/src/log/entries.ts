// The log's entries and the contract of the stores that keep them.

import type { StoredBlock } from "../facts/event-fields.ts";
import type { StoredEvent } from "../facts/events.ts";
import type { Hunk } from "./hunks.ts";
import type { Outcome, Spared } from "./trace.ts";

/** The version of log entries that this release writes. */
export const ENTRY_VERSION = 1;

/** Something happened. */
export interface EventEntry {
  kind: "event";
  v: number;
  at: string;
  /** Who recorded it. */
  owner?: string;
  event: StoredEvent;
}

export type DeliveryState = "offered" | "confirmed" | "abandoned";

/** Something was said to the model: offered with its text, later only its new state. */
export interface OfferEntry {
  kind: "delivery";
  v: number;
  at: string;
  state: "offered";
  id: string;
  branch: string;
  turn: number;
  type: string;
  key?: string;
  /** Deliveries of its key are counted. */
  counted?: boolean;
  /** Its type backs off when it is ignored: that it was said is remembered when it has left the view. */
  backsOff?: true;
  /** What a person or another agent said. */
  words?: true;
  hash: string;
  covers: string[];
  /** The edge it covers was too long for it: it says so many characters, and the rest is an edge of its own from now on. */
  divides?: { id: string; at: number };
  blocks: StoredBlock[];
  /** Hashes of its texts: a reminder is known by them when it is long out of view. */
  textHashes: string[];
  tokens: number;
  data?: unknown;
  anchor?: Anchor;
  /** When it was offered for the first time, in any turn. */
  offeredAt?: string;
  /** Non-empty assistant messages there had been by then. */
  assistantTurns: number;
  /** Assistant messages that stood behind the anchor when it was offered. */
  assistantsBehind: number;
  /** Words of the engine and its user, offered for the provider's trusted role where its model has one. */
  native?: true;
  owner: string;
  expiresAt: number;
  /** How often it was handed over, and no sign of it was found. */
  unseen?: number;
  /** The branch it was offered again on, where that is another: there its edges are claimed. */
  claimedOn?: string;
}

export interface SettleEntry {
  kind: "delivery";
  v: number;
  at: string;
  /** `handed`: it has left the process that offered it; what comes next tells what became of it. */
  state: "confirmed" | "abandoned" | "handed";
  id: string;
  branch: string;
  /** It was handed over, and no sign of it was found. */
  unseen?: true;
}

/** A turn was asked for: where its history ended, and the outcomes that changed since the turn before. */
export interface TurnEntry {
  kind: "turn";
  v: number;
  at: string;
  turn: number;
  branch: string;
  parent?: { branch: string; turn: number };
  /** True where this branch began with a history that shares nothing with the ones before. */
  fresh?: boolean;
  /** `hunks`: what changed in the history since the latest turn on the branch. `kept`: what the provider kept before it. */
  head?: { anchor: Anchor; assistants: number; hunks?: Hunk[]; kept?: string };
  assistantTurns: number;
  outcomes: Record<string, Outcome>;
  /** By type, where there is any. */
  spared?: Record<string, Spared>;
}

/** A log entry before the store has numbered it. */
export type NewEntry = EventEntry | OfferEntry | SettleEntry | TurnEntry;
/** One entry of the log, with its sequence number. */
export type Entry = NewEntry & { seq: number };

/** The fold of all entries up to `seq`; of another version it is ignored and made anew. */
export interface Snapshot {
  seq: number;
  version: number;
  state: unknown;
}

/** Keys that only one owner may hold at a time. A settled key is never given out again. */
export interface Claim {
  keys: readonly string[];
  owner: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  now: number;
}

/** Appended as a whole or not at all. */
export interface Batch {
  entries: readonly NewEntry[];
  claim?: Claim;
  settle?: readonly string[];
  release?: { keys: readonly string[]; owner: string };
}

/** `taken`: keys of the claim that someone else holds or has settled; then nothing was written. */
export type AppendResult = { ok: true; first: number; last: number } | { ok: false; taken: string[] };

export interface DamagedEntry {
  seq: number;
  problem: string;
  /** The edges it was about, as far as it can be read, where it was a delivery. */
  covers?: readonly string[];
}

/** What `store.read` returns. */
export interface ReadResult {
  entries: Entry[];
  /** Entries that could not be read back: skipped, reported, never in the way. */
  damaged: DamagedEntry[];
  /** The last sequence number seen, damaged ones included. */
  last: number;
}

/** One session in a store. */
export interface SessionSummary {
  id: string;
  entries: number;
  firstAt: string;
  lastAt: string;
}

/** `owners`: who is alive and holds a claim on something in it; then nothing was removed. */
export type RemoveResult = { ok: true } | { ok: false; owners: string[] };

/** A blob without its content. */
export interface BlobSummary {
  hash: string;
  bytes: number;
}

/**
 * Where logs live. Sequence numbers of a session start at 1 and have no gaps. `append` resolves when the
 * entries are durable. Every failure is a SottoError with one of the store codes.
 */
export interface Store {
  /** Appends entries and takes or releases claims, all or nothing. Resolves when it is durable. */
  append(session: string, batch: Batch): Promise<AppendResult>;
  /** Entries after `after`, oldest first, at most `limit` of them. */
  read(session: string, after: number, limit?: number): Promise<ReadResult>;
  /** The newest snapshot of a session, or undefined. */
  snapshot(session: string): Promise<Snapshot | undefined>;
  /** Keeps the newest; an older one than what is kept is ignored. */
  saveSnapshot(session: string, snapshot: Snapshot): Promise<void>;
  /** The content's hash, under which `getBlob` gives it back. */
  putBlob(content: Uint8Array): Promise<string>;
  /** The content with this hash, or undefined. */
  getBlob(hash: string): Promise<Uint8Array | undefined>;
  /** All sessions in the store. */
  sessions(): Promise<SessionSummary[]>;
  /** Who is alive and holds a claim on something in the session: it is in use. */
  holders(session: string, now: number): Promise<string[]>;
  /** Forgets a session whole: entries, claims, snapshot. Not while it is in use, unless `force` says so. */
  remove(session: string, options: { now: number; force?: boolean }): Promise<RemoveResult>;
  /** Blobs after a hash, in the order of their hashes. */
  blobs(after?: string, limit?: number): Promise<BlobSummary[]>;
  /** Removes blobs by their hashes; unknown ones are ignored. */
  removeBlobs(hashes: readonly string[]): Promise<void>;
  /** Makes what was removed unreadable in whatever the store is kept in, and gives its room back. */
  erase(): Promise<void>;
  /** What is wrong with the store itself, in words; `quick` looks less closely. A sound one has nothing to say. */
  problems(options?: { quick?: boolean }): Promise<string[]>;
  /** What happened to the store while it was open, and was mended; for people. */
  repairs?(): readonly string[];
  /** Closes the store. */
  close(): Promise<void>;
}

/** The place behind a block. */
export interface Anchor {
  /** A rolling hash over all blocks before it. */
  hash: string;
  /** How many blocks stand before it. */
  blocks: number;
}
