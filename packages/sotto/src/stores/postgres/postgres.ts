// The Postgres store: one log for processes on many machines.

import type { AppendResult, RemoveResult, Store } from "../../log/entries.ts";
import { SottoError } from "../../platform/errors.ts";
import { sha256 } from "../../platform/sha256.ts";
import { blobHash, type FixedBatch, fixBatch, readKept, readUnsealed, toJson } from "../batches.ts";
import { addChecksum, type Unsealed } from "../checksum.ts";
import type { Row } from "./connection.ts";
import { follow } from "./follow.ts";
import { createLeases } from "./leases.ts";
import { problemsIn, usageOf, vacuum } from "./maintenance.ts";
import { openSchema } from "./migrate.ts";
import { connect, type PostgresStoreOptions } from "./options.ts";
import { createClock, createQueues, timeOrderedUuid } from "./order.ts";
import { quoted } from "./schema.ts";
import { nameOf, readText, storedKey, storedText } from "./stored-text.ts";

/** Read at a time, so that a long log needs no long patience. */
const PAGE = 5000;
const LARGEST_BLOB = 64 * 1024 * 1024;
/** From here on it is worth asking whether the database has it already. */
const LARGE_BLOB = 64 * 1024;
/** What even a slow network moves in a millisecond. */
const BYTES_PER_MS = 2000;
/** Removing and listing take as long as there are rows. */
const LONG_MS = 30 * 60_000;

/** Creates a store in a Postgres database, which processes on many machines can share. It opens on first use. */
export function createPostgresStore(options: PostgresStoreOptions): Store {
  const { connection, place, waitMs } = connect("createPostgresStore", options);
  const s = quoted(place.schema);
  const queues = createQueues();
  const clock = createClock();
  const leases = createLeases(async ({ session, keys, owner, leaseMs }) => {
    const values = [session, keys, owner, leaseMs];
    const [row] = await connection.run(() => ({ text: `SELECT ${s}.renew($1, $2, $3, $4)`, values }));
    return Number(row?.[0]);
  });
  let opening: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  async function open(): Promise<void> {
    opening ??= openSchema(connection, place).then(clock.set);
    try {
      await opening;
    } catch (thrown) {
      opening = undefined;
      throw thrown;
    }
  }

  /** `queue`: what is asked for in it runs in the order of the calls. */
  function call<T>(work: () => Promise<T>, queue?: string): Promise<T> {
    if (closing) return Promise.reject(new SottoError("store_failed", "the store is closed"));
    return queues.run(async () => {
      if (!clock.isSet()) await open();
      return work();
    }, queue);
  }

  // No type whose spelling a setting of the server changes is read: bytes as hex, times as whole numbers.
  const ask = (text: string, values: unknown[], moreMs?: number) =>
    connection.run(() => ({ text, values }), moreMs);

  async function append(session: string, batch: FixedBatch): Promise<AppendResult> {
    const { entries, claim, settle, release, marks } = batch;
    const key = storedKey(session);
    const leaseMs = claim === undefined ? 0 : claim.expiresAt - claim.now;
    const owner = claim === undefined ? null : storedText(claim.owner);
    const [claimed, settled, released] = [claim?.keys ?? [], settle, release?.keys ?? []].map((keys) => [
      ...new Set(keys.map(storedKey)),
    ]) as [string[], string[], string[]];
    const batchId = timeOrderedUuid();
    const ats = entries.map(({ at }) => storedText(String(at)));
    const bodies = entries.map(({ body }) => body);
    const appends = `${s}.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;
    const sets = `CASE WHEN first IS NOT NULL THEN array_to_json(${s}.mark($1, $13, $14)) END`;
    const text = `SELECT first, taken, floor(now)::bigint${marks.length === 0 ? "" : `, ${sets}`} FROM ${appends}`;
    const named = marks.map(({ name }) => storedKey(name));
    const marked = marks.length === 0 ? [] : [named, marks.map(({ value }) => storedText(value))];
    const bytes = bodies.reduce((sum, { length }) => sum + length, 0);
    const [row] = await connection.run((attempt) => {
      const names = [key, key === session ? null : storedText(session)];
      const releaser = release === undefined ? null : storedText(release.owner);
      const claims = [claimed, owner, leaseMs, settled, released, releaser];
      return { text, values: [...names, batchId, attempt > 1, ats, bodies, ...claims, ...marked] };
    }, bytes / BYTES_PER_MS);
    if (row === undefined) throw new Error("Postgres gave no row for an append");
    const [first, taken, now, set] = row as [string | null, string | null, string, string | undefined];
    clock.set(Number(now));
    if (first === null || first === undefined) return { ok: false, taken: takenOf(claim?.keys ?? [], taken) };
    leases.drop(key, [...settled, ...released]);
    if (owner !== null)
      leases.hold({ session: key, keys: claimed.filter((one) => !settled.includes(one)), owner, leaseMs });
    const appended = { ok: true as const, first: Number(first), last: Number(first) + entries.length - 1 };
    return set === undefined
      ? appended
      : { ...appended, marks: (JSON.parse(set) as string[]).map((value) => readText(value)) };
  }

  return {
    async append(session, batch) {
      const fixed = fixBatch(batch);
      return call(() => append(session, fixed), session);
    },
    async read(session, after, limit = Number.POSITIVE_INFINITY) {
      return call(async () => {
        const key = storedKey(session);
        const text = `SELECT seq, body, encode(sum, 'hex') FROM ${s}.entries
          WHERE session = (SELECT id FROM ${s}.sessions WHERE key = $1) AND seq > $2 ORDER BY seq LIMIT $3`;
        const rows: Row[] = [];
        for (let last = after; ; ) {
          const wanted = Math.min(PAGE, limit - rows.length);
          const page = wanted > 0 ? await ask(text, [key, last, wanted]) : [];
          for (const row of page) rows.push(row);
          if (page.length < PAGE) break;
          last = Number(page.at(-1)?.[0]);
        }
        return readUnsealed(unsealed(key, rows), after);
      });
    },
    snapshot(session) {
      return call(async () => {
        const key = storedKey(session);
        // Up to a page of what follows; a longer rest is read by itself.
        const text = `WITH kept AS (SELECT seq, version, state FROM ${s}.snapshots WHERE session = $1)
          SELECT seq, state, NULL, version FROM kept UNION ALL
          (SELECT seq, body, encode(sum, 'hex'), NULL FROM ${s}.entries
            WHERE session = (SELECT id FROM ${s}.sessions WHERE key = $1) AND seq >= (SELECT seq FROM kept)
            ORDER BY seq LIMIT $2)
          ORDER BY 4 NULLS LAST, 1`;
        const [row, ...rows] = await ask(text, [key, PAGE]);
        if (row === undefined) return undefined;
        const [seq, version] = [Number(row[0]), Number(row[3])];
        const rest = rows.length === PAGE ? undefined : readUnsealed(unsealed(key, rows), seq - 1);
        return readKept(session, { seq, version, body: row[1], rest });
      });
    },
    async saveSnapshot(session, { seq, version, state }) {
      const text = addChecksum(toJson({ state }, "a snapshot"), session);
      await call(
        () =>
          ask(
            `INSERT INTO ${s}.snapshots AS old VALUES ($1, $2, $3, $4) ON CONFLICT (session) DO UPDATE
           SET seq = excluded.seq, version = excluded.version, state = excluded.state WHERE excluded.seq >= old.seq`,
            [storedKey(session), seq, version, text],
            text.length / BYTES_PER_MS,
          ),
        session,
      );
    },
    putBlob(content) {
      const copy = Buffer.from(content);
      return call(async () => {
        if (copy.length > LARGEST_BLOB)
          throw new SottoError(
            "store_full",
            `A blob of ${copy.length} bytes is too large: Postgres stores take up to ${LARGEST_BLOB}.`,
          );
        const hash = blobHash(copy);
        const isThere =
          copy.length >= LARGE_BLOB &&
          (await ask(`SELECT 1 FROM ${s}.blobs WHERE hash = $1`, [hash])).length > 0;
        const text = `INSERT INTO ${s}.blobs VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`;
        if (!isThere) await ask(text, [hash, copy], copy.length / BYTES_PER_MS);
        return hash;
      });
    },
    getBlob(hash) {
      return call(async () => {
        const text = `SELECT encode(content, 'hex') FROM ${s}.blobs WHERE hash = $1`;
        const [row] = await ask(text, [storedKey(hash)], LARGEST_BLOB / BYTES_PER_MS);
        if (row === undefined) return undefined;
        const content = new Uint8Array(Buffer.from(row[0] ?? "", "hex"));
        // Content that does not match its hash counts as missing.
        return blobHash(content) === hash ? content : undefined;
      });
    },
    sessions() {
      return call(async () => {
        const rows = await ask(
          `SELECT key, name, last, first_at, last_at FROM ${s}.sessions WHERE last > 0 ORDER BY id`,
          [],
        );
        return rows.map(([key, name, last, firstAt, lastAt]) => ({
          id: nameOf(key ?? "", name ?? null) ?? key ?? "",
          entries: Number(last),
          firstAt: readText(firstAt ?? ""),
          lastAt: readText(lastAt ?? ""),
        }));
      });
    },
    holders(session) {
      return call(async () => {
        const rows = await ask(
          `SELECT DISTINCT owner FROM ${s}.keys WHERE session = (SELECT id FROM ${s}.sessions WHERE key = $1)
           AND owner IS NOT NULL AND expires_at > ${s}.clock()`,
          [storedKey(session)],
        );
        return rows.map(([owner]) => readText(owner ?? "")).sort();
      });
    },
    remove(session, { force = false }) {
      return call(async (): Promise<RemoveResult> => {
        const rows = await ask(`SELECT unnest(${s}.remove($1, $2))`, [storedKey(session), force], LONG_MS);
        if (rows.length === 0) return { ok: true };
        return { ok: false, owners: rows.map(([owner]) => readText(owner ?? "")).sort() };
      }, session);
    },
    blobs(after = "", limit = Number.POSITIVE_INFINITY) {
      return call(async () => {
        const rows = await ask(
          `SELECT hash, length(content) FROM ${s}.blobs WHERE hash > $1 ORDER BY hash LIMIT $2`,
          [after, Number.isFinite(limit) ? limit : null],
          LONG_MS,
        );
        return rows.map(([hash, bytes]) => ({ hash: hash ?? "", bytes: Number(bytes) }));
      });
    },
    removeBlobs(hashes) {
      const given = [...hashes];
      return call(async () => {
        await ask(`DELETE FROM ${s}.blobs WHERE hash = ANY ($1)`, [given.map(storedKey)], LONG_MS);
      });
    },
    erase: () => call(() => vacuum(connection, place.schema)),
    problems: ({ quick = false } = {}) => call(() => problemsIn(connection, place.schema, quick)),
    marks(names) {
      const given = names.map(storedKey);
      return call(async () => {
        const text = `SELECT m.value FROM unnest($1::text[]) WITH ORDINALITY AS n(name, place)
          LEFT JOIN ${s}.marks m ON m.name = n.name ORDER BY n.place`;
        const rows = await ask(text, [given]);
        return rows.map(([value]) => (value === null || value === undefined ? undefined : readText(value)));
      });
    },
    now: clock.now,
    // Every call ends by itself; the largest may take longer than others.
    patienceMs: waitMs + LARGEST_BLOB / BYTES_PER_MS + 15_000,
    follow: (session, { wake, signal }) =>
      call(() => follow(connection, { schema: place.schema, session: storedKey(session), wake, signal })),
    usage: () => call(() => usageOf(connection, place.schema)),
    close() {
      closing ??= queues.idle().then(() => {
        leases.close();
        return connection.close();
      });
      return closing;
    },
  };
}

/** The keys of a claim that are taken: `places` is an array of Postgres', counted from 1. */
function takenOf(keys: readonly string[], places: string | null): string[] {
  const numbers = (places ?? "{}").slice(1, -1).split(",");
  return numbers.flatMap((place) => keys[Number(place) - 1] ?? []);
}

/** The database computes the checksums: only it knows the number of an entry when it is written. */
function* unsealed(key: string, rows: readonly Row[]): Generator<{ seq: number; unsealed: Unsealed }> {
  for (const [seq, body, sum] of rows) {
    const text = body ?? "";
    const isSound = sum === sha256(`${key}#${seq}\n${text}`);
    const problem = "it was changed after it was written";
    yield { seq: Number(seq), unsealed: isSound ? { text, isSealed: true } : { text, problem } };
  }
}
