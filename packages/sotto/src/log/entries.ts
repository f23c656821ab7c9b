// Log entries, and the contract of the stores that keep them.

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

/** A reminder was offered to the model, with its text. A `SettleEntry` has its later state. */
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
  /** Whether deliveries with its key are counted. */
  counted?: boolean;
  /** Its type backs off when it is ignored, so it is remembered after it has left the view. */
  backsOff?: true;
  /** It is text of a person or another agent. */
  words?: true;
  hash: string;
  covers: string[];
  /** The edge was too long: this delivery has its first `at` characters, and the rest becomes a new edge. */
  divides?: { id: string; at: number };
  blocks: StoredBlock[];
  /** Hashes of its texts, to recognise the reminder long after it has left the view. */
  textHashes: string[];
  tokens: number;
  data?: unknown;
  anchor?: Anchor;
  /** When it was first offered. */
  offeredAt?: string;
  /** How many blocks before its place said the same already: they are quotes, whatever they look like. */
  quoted?: number;
  /** How many of these stood right before it. */
  quotedHere?: number;
  /** Number of non-empty assistant messages by then. */
  assistantTurns: number;
  /** Number of assistant messages after the anchor when it was offered. */
  assistantsBehind: number;
  /** Text of the engine or its user, for the provider's trusted role if the model has one. */
  native?: true;
  owner: string;
  expiresAt: number;
  /** How often it was handed over but not found in a later request. */
  unseen?: number;
  /** The branch where its edges are claimed, if it was offered again on another one. */
  claimedOn?: string;
}

export interface SettleEntry {
  kind: "delivery";
  v: number;
  at: string;
  /** `handed`: the process that offered it has passed it on. A later request shows whether it arrived. */
  state: "confirmed" | "abandoned" | "handed";
  id: string;
  branch: string;
  /** It was handed over but not found in a later request. */
  unseen?: true;
  /** Nobody has sent it: no history has it, so it has no place. */
  unsent?: true;
  /** Of the offer that it is about; otherwise the latest. */
  owner?: string;
}

/** Where a branch leaves another. */
export interface BranchPoint {
  branch: string;
  turn: number;
  /** How many blocks they share, where no turn says so. */
  blocks?: number;
}

/** A turn: where its history ended, and the outcomes that changed since the previous turn. */
export interface TurnEntry {
  kind: "turn";
  v: number;
  at: string;
  turn: number;
  branch: string;
  parent?: BranchPoint;
  /** Whether this branch began with a history that shares nothing with earlier ones. */
  fresh?: boolean;
  /**
   * `hunks`: changes in the history since the latest turn on the branch, whose entry is `since`; 0: there was none.
   * `kept`: the history that the provider keeps. `dialect`: what the request was written in.
   */
  head?: {
    anchor: Anchor;
    assistants: number;
    since?: number;
    hunks?: Hunk[];
    kept?: string;
    dialect?: string;
  };
  assistantTurns: number;
  outcomes: Record<string, Outcome>;
  /** By type. Unset if there are none. */
  spared?: Record<string, Spared>;
  /** What could not be used, such as a config file with a mistake. Unset if there is nothing. */
  problems?: string[];
}

/** A log entry before the store has numbered it. */
export type NewEntry = EventEntry | OfferEntry | SettleEntry | TurnEntry;
/** One entry of the log, with its sequence number. */
export type Entry = NewEntry & { seq: number };

/** The state after all entries up to `seq`. Ignored and replaced if it has another version. */
export interface Snapshot {
  seq: number;
  version: number;
  state: unknown;
}

/** A snapshot as a store gives it back. */
export interface KeptSnapshot extends Snapshot {
  /** The entries from its last one on, if the store reads them in the same query. */
  rest?: ReadResult;
}

/** Keys that only one owner may hold at a time. A settled key cannot be claimed again. */
export interface Claim {
  keys: readonly string[];
  owner: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  now: number;
}

/** Something about a session, to be found by a name that is unique in the store. It goes when the session is removed. */
export interface Mark {
  name: string;
  value: string;
}

/** Appended atomically. */
export interface Batch {
  entries: readonly NewEntry[];
  claim?: Claim;
  settle?: readonly string[];
  release?: { keys: readonly string[]; owner: string };
  /** Set where nothing is set under their names. */
  marks?: readonly Mark[];
  /** The last entry that the writer knows of. Says only where the end of the log probably is. */
  behind?: number;
}

/**
 * `taken`: keys of the claim that another owner holds or that are settled. Nothing was written then. `marks`: the values
 * that are now set under the names of the batch's marks, in their order; only if it has any.
 */
export type AppendResult =
  | { ok: true; first: number; last: number; marks?: string[] }
  | { ok: false; taken: string[] };

export interface DamagedEntry {
  seq: number;
  problem: string;
  /** The edges that it covered, if it was a delivery and can be read that far. */
  covers?: readonly string[];
}

/** What `store.read` returns. */
export interface ReadResult {
  entries: Entry[];
  /** Entries that could not be read. They are skipped and reported. */
  damaged: DamagedEntry[];
  /** The last sequence number, including damaged entries. */
  last: number;
}

/** One session in a store. */
export interface SessionSummary {
  id: string;
  entries: number;
  firstAt: string;
  lastAt: string;
}

/** `owners`: live owners of claims in the session. Nothing was removed then. */
export type RemoveResult = { ok: true } | { ok: false; owners: string[] };

/** A blob without its content. */
export interface BlobSummary {
  hash: string;
  bytes: number;
}

/** The size of a table, with its indexes. */
export interface TableUsage {
  table: string;
  rows: number;
  bytes: number;
}

/**
 * Where logs live. Sequence numbers of a session start at 1 and have no gaps. `append` resolves when the
 * entries are durable. Every failure is a SottoError with one of the store codes.
 */
export interface Store {
  /** Appends entries and takes or releases claims, atomically. Resolves when they are durable. */
  append(session: string, batch: Batch): Promise<AppendResult>;
  /** Entries after `after`, oldest first, at most `limit` of them. */
  read(session: string, after: number, limit?: number): Promise<ReadResult>;
  /** The newest snapshot of a session, or undefined. */
  snapshot(session: string): Promise<KeptSnapshot | undefined>;
  /** Saves a snapshot, unless a newer one is stored. */
  saveSnapshot(session: string, snapshot: Snapshot): Promise<void>;
  /** Stores content. Returns its hash, for `getBlob`. */
  putBlob(content: Uint8Array): Promise<string>;
  /** The content with this hash, or undefined. */
  getBlob(hash: string): Promise<Uint8Array | undefined>;
  /** All sessions in the store. */
  sessions(): Promise<SessionSummary[]>;
  /** Live owners of claims in the session. If there are any, it is in use. */
  holders(session: string, now: number): Promise<string[]>;
  /** Removes a session with its entries, claims, marks and snapshot. Refused while it is in use, unless `force` is set. */
  remove(session: string, options: { now: number; force?: boolean }): Promise<RemoveResult>;
  /** Blobs after a hash, ordered by hash. */
  blobs(after?: string, limit?: number): Promise<BlobSummary[]>;
  /** Removes blobs by their hashes; unknown ones are ignored. */
  removeBlobs(hashes: readonly string[]): Promise<void>;
  /** Erases removed data from the underlying storage and frees its space. */
  erase(): Promise<void>;
  /** Problems of the store itself, for people. Empty if it is sound. `quick` checks less. */
  problems(options?: { quick?: boolean }): Promise<string[]>;
  /** Repairs made while the store was open, for people. */
  repairs?(): readonly string[];
  /** How long a call may take before a session counts it as failed, in milliseconds. Default: 15,000. */
  readonly patienceMs?: number;
  /** The clock that claims expire by, in milliseconds since the epoch, if it is not this machine's. */
  now?(): number;
  /** Calls `wake` when a session may have new entries, until the signal aborts. A hint: reading tells. */
  follow?(session: string, options: { wake: () => void; signal: AbortSignal }): Promise<void>;
  /** The values of marks by their names. A store without this keeps no marks. */
  marks?(names: readonly string[]): Promise<(string | undefined)[]>;
  /** True if the log is known to end with this entry without reading it. False: it has to be read. */
  isLast?(session: string, end: LogEnd): boolean;
  /** What is stored, table by table. */
  usage?(): Promise<TableUsage[]>;
  /** Closes the store. */
  close(): Promise<void>;
}

/** What tells the last entry of a log from any other in its place. */
export interface LogEnd {
  seq: number;
  at: string;
}

/** A place in a history, right after a block. */
export interface Anchor {
  /** A rolling hash over all blocks before it. */
  hash: string;
  /** Number of blocks before it. */
  blocks: number;
}
