// The SQLite store, loaded on first use to keep the import of the library fast.

import * as v from "valibot";
import type { Store } from "../../log/entries.ts";
import { callable, checkOptions, oneOf, shape, table, text } from "../../platform/check-options.ts";
import { SottoError } from "../../platform/errors.ts";
import { copyBatch, stateValue } from "../batches.ts";
import type { SqliteStoreOptions } from "./sqlite.ts";

/** Creates a store in an SQLite file, which several processes can share. It opens on first use. */
export function createSqliteStore(options: SqliteStoreOptions): Store {
  checkOptions("createSqliteStore", sqliteStoreOptions, options);
  // An address may hold a password: it is not repeated.
  if (/^[a-z][a-z\d+.-]*:\/\//iu.test(options.path))
    throw new SottoError(
      "invalid_options",
      "createSqliteStore: path: expected the path of a file, got an address; for Postgres use createPostgresStore of sotto/postgres",
    );
  let loaded: Store | undefined;
  let loading: Promise<Store> | undefined;

  async function use<Given, Result>(
    given: Given,
    call: (store: Store, given: Given) => Promise<Result>,
    copy: (given: Given) => Given = structuredClone,
  ): Promise<Result> {
    if (loaded !== undefined) return call(loaded, given);
    // The caller may change its object while the store loads.
    const fixed = given === undefined ? given : copy(given);
    loading ??= import("./sqlite.ts").then(({ createSqliteStore: create }) => create(options));
    return loading.then((store) => {
      loaded = store;
      return call(store, fixed);
    });
  }

  return {
    append: (session, batch) => use(batch, (store, given) => store.append(session, given), copyBatch),
    read: (session, after, limit) => use(undefined, (store) => store.read(session, after, limit)),
    snapshot: (session) => use(undefined, (store) => store.snapshot(session)),
    saveSnapshot: (session, snapshot) =>
      use(
        snapshot,
        (store, given) => store.saveSnapshot(session, given),
        ({ state, ...rest }) => ({ ...rest, state: stateValue(state) }),
      ),
    putBlob: (content) => use(content, (store, given) => store.putBlob(given)),
    getBlob: (hash) => use(undefined, (store) => store.getBlob(hash)),
    sessions: () => use(undefined, (store) => store.sessions()),
    holders: (session, now) => use(undefined, (store) => store.holders(session, now)),
    remove: (session, how) => use(how, (store, given) => store.remove(session, given)),
    blobs: (after, limit) => use(undefined, (store) => store.blobs(after, limit)),
    removeBlobs: (hashes) => use(hashes, (store, given) => store.removeBlobs(given)),
    erase: () => use(undefined, (store) => store.erase()),
    problems: (how) => use(how, (store, given) => store.problems(given)),
    marks: (names) => use(names, async (store, given) => store.marks?.(given) ?? []),
    isLast: (session, end) => loaded?.isLast?.(session, end) ?? false,
    repairs: () => loaded?.repairs?.() ?? [],
    // What it waits for others, and time to work.
    patienceMs: (options.lockWaitMs ?? 2000) + 15_000,
    close: () => use(undefined, (store) => store.close()),
  };
}

const sqliteStoreOptions = table(
  {
    path: text("the path of the database file"),
    lockWaitMs: v.optional(
      shape("milliseconds, from 0 on", (value) => typeof value === "number" && value >= 0),
    ),
    sync: v.optional(oneOf(["process", "power"])),
    isOwnerAlive: v.optional(callable("a function (owner) => boolean")),
  },
  "options such as { path }",
);
