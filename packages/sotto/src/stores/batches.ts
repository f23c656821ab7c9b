// What all stores do with a batch: serialise it on arrival, decide its claims, read it back.

import {
  type Batch,
  type Claim,
  ENTRY_VERSION,
  type Entry,
  type KeptSnapshot,
  type Mark,
  type ReadResult,
} from "../log/entries.ts";
import { errorText, SottoError } from "../platform/errors.ts";
import { sha256 } from "../platform/sha256.ts";
import { addChecksum, checkChecksum, type Unsealed } from "./checksum.ts";
import { jsonCopy, lastingCopy, unwritable } from "./json-copy.ts";

const kinds: ReadonlySet<unknown> = new Set(["event", "delivery", "turn"]);

/** A batch that its caller can no longer change. `Body`: how an entry is kept. */
export interface FixedBatch<Body = string> {
  entries: { at: string; body: Body }[];
  claim?: Claim;
  settle: string[];
  release?: { keys: string[]; owner: string };
  marks: Mark[];
  behind: number | undefined;
}

export function fixBatch(batch: Batch): FixedBatch {
  return fixAs(batch, toJson);
}

/** The same for a store that keeps entries as values. */
export function fixValues(batch: Batch): FixedBatch<unknown> {
  return fixAs(batch, toValue);
}

function fixAs<Body>(batch: Batch, keep: (entry: unknown, what: string) => Body): FixedBatch<Body> {
  const { claim, release } = batch;
  return {
    entries: batch.entries.map((entry) => ({ at: entry.at, body: keep(entry, "an entry") })),
    ...(claim && { claim: { ...claim, keys: [...new Set(claim.keys)] } }),
    settle: [...(batch.settle ?? [])],
    ...(release && { release: { keys: [...release.keys], owner: release.owner } }),
    marks: (batch.marks ?? []).map(({ name, value }) => ({ name, value })),
    behind: batch.behind,
  };
}

/** Always returns text: JSON.stringify returns undefined for some values. */
export function toJson(value: unknown, what: string): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (cause) {
    throw notStored(value, what, cause);
  }
}

/** What the text would say, as a value that is only ever copied. */
function toValue(value: unknown, what: string): unknown {
  try {
    return lastingCopy(value);
  } catch (cause) {
    throw notStored(value, what, cause);
  }
}

/** The state of a snapshot as its text gives it back. */
export function stateValue(state: unknown): unknown {
  return (toValue({ state }, "a snapshot") as { state?: unknown }).state;
}

function notStored(value: unknown, what: string, cause: unknown): SottoError {
  const why = unwritable(value) ?? errorText(cause);
  return new SottoError("store_failed", `${what} cannot be stored as JSON: ${why}`, cause);
}

/** A batch that its caller can no longer change, with entries as JSON would give them back. */
export function copyBatch(batch: Batch): Batch {
  const { entries, ...rest } = batch;
  const copies = entries.map((entry) => toValue(entry, "an entry") as Batch["entries"][number]);
  return { ...structuredClone(rest), entries: copies };
}

/** Who holds a key; without an owner it is settled. */
export interface Holder {
  owner: string | null;
  expiresAt: number | null;
}

export function isTaken(
  holder: Holder | undefined,
  claim: Claim,
  isOwnerAlive: (owner: string) => boolean,
): boolean {
  if (holder === undefined) return false;
  if (holder.owner === null) return true;
  if (holder.owner === claim.owner) return false;
  return (holder.expiresAt ?? 0) > claim.now && isOwnerAlive(holder.owner);
}

/** An entry's text with its checksum. The place is part of it: an entry moved elsewhere does not match. */
export function sealBody(session: string, seq: number, body: string): string {
  return addChecksum(body, entryPlace(session, seq));
}

function entryPlace(session: string, seq: number): string {
  return `${session}#${seq}`;
}

export function readRows(
  session: string,
  rows: Iterable<{ seq: number; body: unknown }>,
  after: number,
): ReadResult {
  return readUnsealed(unsealedRows(session, rows), after);
}

function* unsealedRows(session: string, rows: Iterable<{ seq: number; body: unknown }>) {
  for (const { seq, body } of rows)
    yield { seq, unsealed: checkChecksum(typeof body === "string" ? body : "", entryPlace(session, seq)) };
}

/** Rows whose checksums were checked. */
export function readUnsealed(rows: Iterable<{ seq: number; unsealed: Unsealed }>, after: number): ReadResult {
  const result: ReadResult = { entries: [], damaged: [], last: after };
  for (const { seq, unsealed } of rows) add(result, seq, readBody(unsealed));
  return result;
}

/** Entries that were kept as values; what is returned is a copy. `after`: the number of the one before them. */
export function readValues(values: readonly unknown[], after: number): ReadResult {
  const result: ReadResult = { entries: [], damaged: [], last: after };
  for (const [index, value] of values.entries()) add(result, after + index + 1, readValue(jsonCopy(value)));
  return result;
}

/** The entry, or why it is not valid. */
type Read = { value: object } | { problem: string; covers?: readonly string[] };

function add(result: ReadResult, seq: number, read: Read): void {
  if ("problem" in read) result.damaged.push({ seq, ...read });
  else result.entries.push(Object.assign(read.value, { seq }) as Entry);
  result.last = seq;
}

function readBody(unsealed: Unsealed): Read {
  const value = parse(unsealed.text);
  if ("problem" in unsealed)
    return { problem: `the entry is damaged: ${unsealed.problem}`, ...coversIn(value) };
  if (value === undefined) return { problem: "the entry is incomplete: its text is not JSON" };
  return readValue(value);
}

function readValue(value: unknown): Read {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problem: "the entry is not an object" };
  const { kind, v } = value as { kind?: unknown; v?: unknown };
  if (typeof v !== "number") return { problem: "the entry has no version number" };
  // Before the kind: a newer version may have kinds that are unknown here.
  if (v > ENTRY_VERSION)
    return { problem: `the entry has the newer version ${v}, this program reads up to ${ENTRY_VERSION}` };
  if (!kinds.has(kind))
    return { problem: `the entry has an unknown kind: ${errorText(JSON.stringify(kind)).slice(0, 40)}` };
  return { value };
}

/** What a damaged delivery covered. */
function coversIn(value: unknown): { covers?: readonly string[] } {
  const { covers } = (typeof value === "object" && value !== null ? value : {}) as { covers?: unknown };
  if (!Array.isArray(covers) || !covers.every((one) => typeof one === "string")) return {};
  return { covers };
}

/** Undefined if it is damaged or unverifiable: the state is then rebuilt from the entries. */
export function readKept(
  session: string,
  { seq, version, body, rest }: { seq: number; version: number; body: unknown; rest: ReadResult | undefined },
): KeptSnapshot | undefined {
  const state = readSnapshot(body, session);
  return state === undefined ? undefined : { seq, version, state, ...(rest && { rest }) };
}

function readSnapshot(state: unknown, session: string): unknown {
  const unsealed = checkChecksum(typeof state === "string" ? state : "", session);
  if ("problem" in unsealed || !unsealed.isSealed) return undefined;
  return (parse(unsealed.text) as { state?: unknown } | undefined)?.state;
}

function parse(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// What all stores report the same way: who uses a session, what is wrong with its snapshot.

/** Each owner once; settled keys and expired claims have none. */
export function liveOwners(
  holders: Iterable<Holder>,
  now: number,
  isOwnerAlive: (owner: string) => boolean,
): string[] {
  const owners = new Set<string>();
  for (const { owner, expiresAt } of holders)
    if (owner !== null && (expiresAt ?? 0) > now && isOwnerAlive(owner)) owners.add(owner);
  return [...owners].sort();
}

/** A snapshot that claims more entries than there are would hide what is appended next. */
export function snapshotProblem(session: string, { last, seq }: { last: number; seq: number }): string[] {
  if (seq <= last) return [];
  return [`the snapshot of session ${session} is for entry ${seq}, but its log ends with entry ${last}`];
}

export function damagedSnapshot(session: string, state: unknown): string[] {
  if (readSnapshot(state, session) !== undefined) return [];
  return [`the snapshot of session ${session} is damaged: it is not used, and the next one replaces it`];
}

// The name of a blob: the SHA-256 of its content.

export function blobHash(content: Uint8Array): string {
  return sha256(content);
}
