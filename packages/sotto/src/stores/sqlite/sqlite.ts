// The SQLite store: one file in WAL mode, written by several processes at once.

import { resolve } from "node:path";
import type { AppendResult, Store } from "../../log/entries.ts";
import { SottoError } from "../../platform/errors.ts";
import { isOwnerAlive } from "../../platform/node-platform.ts";
import {
  blobHash,
  type FixedBatch,
  fixBatch,
  isTaken,
  liveOwners,
  readKept,
  readRows,
  sealBody,
  toJson,
} from "../batches.ts";
import { addChecksum } from "../checksum.ts";
import { type Connection, connect, type Sync, transaction } from "./connection.ts";
import { breaksConnection, storeError } from "./errors.ts";
import { createQueues } from "./lock-queue.ts";
import { createLogEnds } from "./log-ends.ts";
import { emptyLog, problemsIn, removeBlobs, removeSession, vacuum } from "./maintenance.ts";
import { createFileGuard } from "./replaced-files.ts";

/** What `createSqliteStore` takes. */
export interface SqliteStoreOptions {
  /** The database file. Its directory is created where it is missing. */
  path: string;
  /** How long a call waits for other processes before it fails with `store_locked`. */
  lockWaitMs?: number;
  /** What an appended entry survives: a killed process (default), or also a power cut, at the cost of a disk flush each. */
  sync?: Sync;
  /** Claims of owners that are not alive are released before they expire. */
  isOwnerAlive?: (owner: string) => boolean;
}

export function createSqliteStore(options: SqliteStoreOptions): Store {
  const path = resolve(options.path);
  const alive = options.isOwnerAlive ?? isOwnerAlive;
  const lanes = createQueues(options.lockWaitMs ?? 2000);
  const sync = options.sync ?? "process";
  const presence = createFileGuard(path, sync);
  const ends = createLogEnds();
  let connection: Connection | undefined;
  let closing: Promise<void> | undefined;

  function open(): Connection {
    const opened = connect(path, sync);
    presence.opened(opened);
    return opened;
  }

  function disconnect(): void {
    const { database } = connection ?? {};
    connection = undefined;
    database?.close();
  }

  function attempt<T>(lane: "read" | "write", work: (connection: Connection) => T, isAgain = false): T {
    try {
      connection ??= open();
      // What is read from deleted files is still what was written.
      if (lane === "write" && !presence.isCurrent(connection)) {
        connection = undefined;
        connection = open();
      }
      return work(connection);
    } catch (thrown) {
      // It may have been written all the same.
      ends.forget();
      if (!breaksConnection(thrown)) throw thrown;
      const wasOpen = connection !== undefined;
      disconnect();
      // Others may have replaced its files.
      if (lane === "read" && wasOpen && !isAgain) return attempt(lane, work, true);
      throw thrown;
    } finally {
      if (connection?.brief) disconnect();
    }
  }

  async function run<T>(lane: "read" | "write", work: (connection: Connection) => T): Promise<T> {
    if (closing) throw new SottoError("store_failed", "the store is closed");
    try {
      return await lanes[lane](() => attempt(lane, work));
    } catch (thrown) {
      throw storeError(thrown, path);
    }
  }

  return {
    async append(session, batch) {
      const fixed = fixBatch(batch);
      return run("write", (connection) => {
        const appended = appendBatch(connection, { session, batch: fixed, isOwnerAlive: alive });
        const end = fixed.entries.at(-1);
        if (!appended.ok || end === undefined) return appended;
        const seq = appended.last;
        presence.wrote({ session, seq, body: end.body });
        ends.wrote(connection, session, { seq, at: end.at });
        return appended;
      });
    },
    async read(session, after, limit = -1) {
      return run("read", ({ statements }) =>
        readRows(session, statements.entries.all(session, after, limit), after),
      );
    },
    async snapshot(session) {
      const [kept, ...rest] = await run("read", ({ statements }) => statements.snapshot.all(session));
      return (
        kept &&
        readKept(session, {
          ...kept,
          version: Number(kept.version),
          rest: readRows(session, rest, kept.seq - 1),
        })
      );
    },
    async saveSnapshot(session, { seq, version, state }) {
      const text = addChecksum(toJson({ state }, "a snapshot"), session);
      await run("write", ({ statements }) => statements.saveSnapshot.run(session, seq, version, text));
    },
    async putBlob(content) {
      const copy = new Uint8Array(content);
      const hash = blobHash(copy);
      await run(
        "write",
        ({ statements }) => statements.hasBlob.get(hash) ?? statements.putBlob.run(hash, copy),
      );
      return hash;
    },
    async getBlob(hash) {
      const found = await run("read", ({ statements }) => statements.getBlob.get(hash));
      // Content that does not match its hash counts as missing.
      return found !== undefined && blobHash(found.content) === hash ? found.content : undefined;
    },
    async sessions() {
      return run("read", ({ statements }) => statements.sessions.all().map((row) => ({ ...row })));
    },
    async holders(session, now) {
      return run("read", ({ statements }) => liveOwners(statements.claims.all(session), now, alive));
    },
    async remove(session, { now, force = false }) {
      return run("write", (connection) => {
        presence.wrote(undefined);
        ends.forget();
        return removeSession(connection, { session, now, force, isOwnerAlive: alive });
      });
    },
    async blobs(after = "", limit = -1) {
      return run("read", ({ statements }) => statements.blobs.all(after, limit).map((row) => ({ ...row })));
    },
    async removeBlobs(hashes) {
      const given = [...hashes];
      await run("write", (connection) => removeBlobs(connection, given));
    },
    async erase() {
      await run("write", vacuum);
      await run("write", emptyLog);
    },
    async problems({ quick = false } = {}) {
      return run("read", (connection) => problemsIn(connection, quick));
    },
    async marks(names) {
      const given = [...names];
      return run("read", ({ statements }) => given.map((name) => statements.mark.get(name)?.value));
    },
    isLast(session, end) {
      if (connection === undefined || closing) return false;
      try {
        return ends.isLast(connection, session, end);
      } catch {
        return false;
      }
    },
    repairs: () => presence.mended,
    close() {
      closing ??= lanes.idle().then(disconnect);
      return closing;
    },
  };
}

// Appends a batch in one transaction. Its claims are decided under the write lock, so two processes never both win.

export interface AppendRequest {
  session: string;
  batch: FixedBatch;
  isOwnerAlive: (owner: string) => boolean;
}

export function appendBatch(connection: Connection, request: AppendRequest): AppendResult {
  return addBehind(connection, request) ?? appendWhole(connection, request);
}

/** Most batches are one entry behind the last one that their writer knows: one statement is enough for them. */
function addBehind({ statements }: Connection, { session, batch }: AppendRequest): AppendResult | undefined {
  const { entries, behind, claim, settle, release, marks } = batch;
  const [entry] = entries;
  const isPlain = claim === undefined && settle.length === 0 && release === undefined && marks.length === 0;
  if (entry === undefined || entries.length > 1 || !behind || !isPlain) return undefined;
  const seq = behind + 1;
  const { changes } = statements.addEntryBehind.run(
    session,
    seq,
    entry.at,
    sealBody(session, seq, entry.body),
  );
  return Number(changes) === 1 ? { ok: true, first: seq, last: seq } : undefined;
}

function appendWhole(connection: Connection, request: AppendRequest): AppendResult {
  const { statements } = connection;
  const { entries, claim, settle, release, marks } = request.batch;
  let taken: string[] = [];

  const appended = transaction(connection, (): AppendResult | undefined => {
    const { id, last } = statements.session.get(request.session) ?? addSession(connection, request.session);
    if (claim) {
      taken = claim.keys.filter((key) =>
        isTaken(statements.holder.get(id, key), claim, request.isOwnerAlive),
      );
      if (taken.length > 0) return undefined;
      for (const key of claim.keys) statements.hold.run(id, key, claim.owner, claim.expiresAt);
    }
    for (const [index, { at, body }] of entries.entries())
      statements.addEntry.run(id, last + index + 1, at, sealBody(request.session, last + index + 1, body));
    for (const key of settle) statements.hold.run(id, key, null, null);
    for (const key of release?.keys ?? []) statements.letGo.run(id, key, release?.owner ?? "");
    const appended = { ok: true as const, first: last + 1, last: last + entries.length };
    if (marks.length === 0) return appended;
    const values = marks.map(({ name, value }) => {
      const there = statements.mark.get(name)?.value;
      if (there === undefined) statements.setMark.run(name, id, value);
      return there ?? value;
    });
    return { ...appended, marks: values };
  });
  return appended ?? { ok: false, taken };
}

function addSession({ statements }: Connection, name: string): { id: number; last: number } {
  const added = statements.addSession.get(name);
  if (!added) throw new Error("SQLite gave no row for a new session");
  return added;
}
