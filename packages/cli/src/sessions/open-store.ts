// Opens the store that --store or SOTTO_STORE names.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createMemoryStore, createSqliteStore, defaultStorePath } from "sotto";
import type { Store } from "sotto/extend";
import { didYouMean, redactedUrl } from "sotto/internal";
import { failed, usageError } from "sotto-agent/terminal";

export interface OpenedStore {
  store: Store;
  /** Its path, its address without the password, or memory:. */
  where: string;
}

/** Where a store is. `waitMs`: how long a call may wait for other processes, or for the database. */
export type StorePlace =
  | { kind: "memory" }
  | { kind: "sqlite"; path: string }
  | { kind: "postgres"; url: string };

export function openStore(url: string | undefined): Promise<OpenedStore> {
  return openPlace(storePlace(url));
}

export async function openPlace(place: StorePlace, waitMs?: number): Promise<OpenedStore> {
  if (place.kind === "memory") return { store: createMemoryStore(), where: "memory:" };
  if (place.kind === "sqlite") {
    const wait = waitMs === undefined ? {} : { lockWaitMs: waitMs };
    return { store: createSqliteStore({ path: place.path, ...wait }), where: place.path };
  }
  const { createPostgresStore } = await import("sotto/postgres");
  const wait = waitMs === undefined ? {} : { waitMs, connections: 1 };
  return {
    store: createPostgresStore({ connectionString: place.url, ...wait }),
    where: redactedUrl(place.url),
  };
}

/** Opens a store for reading; throws if it does not exist. */
export async function openExistingStore(url: string | undefined): Promise<OpenedStore> {
  const place = storePlace(url);
  if (place.kind === "memory") throw usageError("--store memory: holds nothing to read", "no_store");
  if (place.kind === "sqlite" && statSync(place.path, { throwIfNoEntry: false }) === undefined)
    throw failed(
      `no store at ${place.path}; \`sotto turn --session ID\` creates one, --store chooses another`,
      "no_store",
    );
  return openPlace(place);
}

const EXPECTED = "expected a path, sqlite:PATH, postgres://… or memory:";

/** `name` is the option or field the value comes from. */
export function storePlace(given: string | undefined, name = "--store"): StorePlace {
  const set = process.env.SOTTO_STORE;
  if (given === undefined && set) return storePlace(set, "SOTTO_STORE");
  if (given === undefined) return { kind: "sqlite", path: defaultStorePath() };
  // A single letter is a Windows drive.
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]+):(.*)$/isu.exec(given) ?? [];
  if (scheme === "") return { kind: "sqlite", path: fromHome(given, name) };
  if (scheme === "memory") return { kind: "memory" };
  if (scheme === "file") return { kind: "sqlite", path: fileURLToPath(given) };
  if (scheme === "sqlite") return { kind: "sqlite", path: fromHome(rest.replace(/^\/\/(?=\/)/u, ""), name) };
  if (/^postgres(?:ql)?$/iu.test(scheme)) {
    if (rest.startsWith("//")) return { kind: "postgres", url: given };
    throw usageError(`${name}: expected postgres://user:password@host/database`);
  }
  const hint = didYouMean(scheme, ["sqlite", "memory", "postgres"]);
  throw usageError(`${name} ${redactedUrl(given)}: unknown scheme "${scheme}:"${hint}; ${EXPECTED}`);
}

function fromHome(path: string, name: string): string {
  if (path.trim() === "") throw usageError(`${name}: the path is empty; ${EXPECTED}`);
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(path);
}
