// The in-memory store. It keeps copies as JSON would give them back, so that it returns exactly what the other stores return.
// As values, not as text: they share their strings with the session, which has most of them in its state.

import type { AppendResult, Snapshot, Store } from "../log/entries.ts";
import { SottoError } from "../platform/errors.ts";
import {
  blobHash,
  type FixedBatch,
  fixValues,
  type Holder,
  isTaken,
  liveOwners,
  readValues,
  snapshotProblem,
  stateValue,
} from "./batches.ts";
import { jsonCopy } from "./json-copy.ts";

interface Log {
  entries: unknown[];
  /** Made with the first claim. */
  keys: Map<string, Holder> | undefined;
  snapshot: Snapshot | undefined;
}

/** Creates a store that keeps everything in memory. */
export function createMemoryStore(): Store {
  const logs = new Map<string, Log>();
  const marks = new Map<string, { session: string; value: string }>();
  const blobs = new Map<string, Uint8Array>();
  let closed = false;

  function open(): void {
    if (closed) throw new SottoError("store_failed", "the store is closed");
  }
  function logOf(session: string): Log {
    const log = logs.get(session) ?? { entries: [], keys: undefined, snapshot: undefined };
    logs.set(session, log);
    return log;
  }

  return {
    async append(session, batch) {
      open();
      const fixed = fixValues(batch);
      const appended = append(logOf(session), fixed);
      if (!appended.ok || fixed.marks.length === 0) return appended;
      const values = fixed.marks.map(({ name, value }) => {
        const there = marks.get(name) ?? { session, value };
        marks.set(name, there);
        return there.value;
      });
      return { ...appended, marks: values };
    },
    async read(session, after, limit = Number.POSITIVE_INFINITY) {
      open();
      return readValues((logs.get(session)?.entries ?? []).slice(after, after + limit), after);
    },
    async snapshot(session) {
      open();
      const kept = logs.get(session)?.snapshot;
      return kept && { ...kept, state: jsonCopy(kept.state) };
    },
    async saveSnapshot(session, { seq, version, state }: Snapshot) {
      open();
      const log = logOf(session);
      if (log.snapshot && log.snapshot.seq > seq) return;
      log.snapshot = { seq, version, state: stateValue(state) };
    },
    async putBlob(content) {
      open();
      const hash = blobHash(content);
      if (!blobs.has(hash)) blobs.set(hash, new Uint8Array(content));
      return hash;
    },
    async getBlob(hash) {
      open();
      return blobs.get(hash)?.slice();
    },
    async sessions() {
      open();
      return [...logs].flatMap(([id, { entries }]) => {
        const [first, last] = [entries[0], entries.at(-1)];
        if (first === undefined || last === undefined) return [];
        return [{ id, entries: entries.length, firstAt: timeOf(first), lastAt: timeOf(last) }];
      });
    },
    async holders(session, now) {
      open();
      return holdersIn(logs.get(session), now);
    },
    async remove(session, { now, force = false }) {
      open();
      const owners = force ? [] : holdersIn(logs.get(session), now);
      if (owners.length > 0) return { ok: false, owners };
      logs.delete(session);
      for (const [name, mark] of marks) if (mark.session === session) marks.delete(name);
      return { ok: true };
    },
    async blobs(after = "", limit = Number.POSITIVE_INFINITY) {
      open();
      const listed = [...blobs].map(([hash, content]) => ({ hash, bytes: content.length }));
      return listed
        .filter(({ hash }) => hash > after)
        .sort((a, b) => (a.hash < b.hash ? -1 : 1))
        .slice(0, limit);
    },
    async removeBlobs(hashes) {
      open();
      for (const hash of hashes) blobs.delete(hash);
    },
    async erase() {
      open();
    },
    async problems() {
      open();
      return [...logs].flatMap(([id, { entries, snapshot }]) =>
        snapshotProblem(id, { last: entries.length, seq: snapshot?.seq ?? 0 }),
      );
    },
    async marks(names) {
      open();
      return names.map((name) => marks.get(name)?.value);
    },
    async close() {
      closed = true;
      logs.clear();
      marks.clear();
      blobs.clear();
    },
  };
}

function timeOf(entry: unknown): string {
  return (entry as { at: string }).at;
}

function holdersIn(log: Log | undefined, now: number): string[] {
  return liveOwners(log?.keys?.values() ?? [], now, () => true);
}

function append(log: Log, { entries, claim, settle, release }: FixedBatch<unknown>): AppendResult {
  const taken = claim?.keys.filter((key) => isTaken(log.keys?.get(key), claim, () => true)) ?? [];
  if (taken.length > 0) return { ok: false, taken };

  const first = log.entries.length + 1;
  for (const { body } of entries) log.entries.push(body);
  const hold = (key: string, holder: Holder) => {
    log.keys ??= new Map();
    log.keys.set(key, holder);
  };
  for (const key of claim?.keys ?? [])
    hold(key, { owner: claim?.owner ?? null, expiresAt: claim?.expiresAt ?? null });
  for (const key of settle) hold(key, { owner: null, expiresAt: null });
  for (const key of release?.keys ?? [])
    if (log.keys?.get(key)?.owner === release?.owner) log.keys?.delete(key);
  return { ok: true, first, last: log.entries.length };
}
