// The SQLite store, loaded when it is first used: importing the library must not pay for it.

import type { Store } from "../core/log.ts";
import type { SqliteStoreOptions } from "./sqlite.ts";

export function createSqliteStore(options: SqliteStoreOptions): Store {
  let loaded: Store | undefined;
  let loading: Promise<Store> | undefined;
  const load = () => {
    loading ??= import("./sqlite.ts").then(({ createSqliteStore: create }) => {
      loaded = create(options);
      return loaded;
    });
    return loading;
  };
  return {
    append(session, batch) {
      if (loaded !== undefined) return loaded.append(session, batch);
      // What the caller changes while the store loads is not appended.
      const fixed = structuredClone(batch);
      return load().then((store) => store.append(session, fixed));
    },
    read: async (session, after, limit) => (await load()).read(session, after, limit),
    snapshot: async (session) => (await load()).snapshot(session),
    saveSnapshot: async (session, snapshot) => (await load()).saveSnapshot(session, snapshot),
    putBlob: async (content) => (await load()).putBlob(content),
    getBlob: async (hash) => (await load()).getBlob(hash),
    sessions: async () => (await load()).sessions(),
    close: async () => (await load()).close(),
  };
}
