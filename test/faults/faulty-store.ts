// A store that reaches kill points around each write, and at times refuses a write or keeps quiet about one it did.

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { SottoError } from "sotto";
import type { Batch, Store } from "sotto/extend";
import type { Operation, Reach } from "./points.ts";

/** `refused`: nothing was written, as on a full disk. `unclear`: written, but the answer says it failed. */
export type Mishap = "refused" | "unclear";

export interface FaultyStoreOptions {
  reach: Reach;
  mishap(operation: Operation): Mishap | undefined;
}

export function createFaultyStore(store: Store, { reach, mishap }: FaultyStoreOptions): Store {
  let inside: Operation | undefined;
  watchCommits(() => {
    if (inside !== undefined) reach(`inside-append-${inside}`);
  });
  return {
    ...store,
    async append(session, batch) {
      const operation = operationOf(batch);
      const fault = mishap(operation);
      reach(`before-append-${operation}`);
      if (fault === "refused") throw new SottoError("store_full", "no room, says the fault kit");
      inside = operation;
      const appending = store.append(session, batch);
      if (store.now !== undefined) await sentToDatabase(() => reach(`inside-append-${operation}`));
      const appended = await appending;
      inside = undefined;
      if (appended.ok) reach(`after-append-${operation}`);
      if (fault === "unclear") throw new SottoError("store_failed", "written or not, says the fault kit");
      return appended;
    },
    async saveSnapshot(session, snapshot) {
      reach("before-snapshot");
      await store.saveSnapshot(session, snapshot);
      reach("after-snapshot");
    },
  };
}

/** The statement is on its way, and nothing has been heard of it yet. */
async function sentToDatabase(reached: () => void): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  reached();
}

export function operationOf({ entries }: Batch): Operation {
  if (entries.some(({ kind }) => kind === "turn")) return "offer";
  const [first] = entries;
  if (first?.kind === "event") return first.event.type === "session_started" ? "open" : "record";
  return first?.kind === "delivery" && first.state === "abandoned" ? "abandon" : "commit";
}

/**
 * The last moment at which nothing is written yet: before the statement that ends a transaction, or before the one that is all
 * of it.
 */
function watchCommits(beforeCommit: () => void): void {
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string): StatementSync {
    const statement = prepare.call(this, sql);
    if (sql !== "COMMIT" && !sql.startsWith("INSERT INTO entries SELECT")) return statement;
    const run = statement.run.bind(statement);
    statement.run = (...given: unknown[]) => {
      beforeCommit();
      return run(...(given as Parameters<typeof run>));
    };
    return statement;
  };
}
