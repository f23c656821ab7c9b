// Opens the store that --store or SOTTO_STORE names.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createMemoryStore, createSqliteStore, defaultStorePath } from "sotto";
import type { Store } from "sotto/extend";
import { didYouMean, isLikeAddress, redactedUrl, trimmedAddress } from "sotto/internal";
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
  if (place.kind === "sqlite") {
    const found = statSync(place.path, { throwIfNoEntry: false });
    const otherwise = "`sotto turn --session ID` creates one, --store chooses another";
    if (found === undefined) throw failed(`no store at ${place.path}; ${otherwise}`, "no_store");
    // Opening it would make it a store.
    if (found.isFile() && found.size === 0)
      throw failed(`${place.path} is an empty file, not a store; ${otherwise}`, "no_store");
  }
  return openPlace(place);
}

const EXPECTED = "expected a path, sqlite:PATH, postgres://… or memory:";

/** `name` is the option or field the value comes from. */
export function storePlace(given: string | undefined, name = "--store"): StorePlace {
  const set = process.env.SOTTO_STORE;
  if (given === undefined && set) return storePlace(set, "SOTTO_STORE");
  if (given === undefined) return { kind: "sqlite", path: defaultStorePath() };
  const value = trimmedAddress(given);
  // A single letter is a Windows drive.
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]+):(.*)$/isu.exec(value) ?? [];
  if (/^postgres(?:ql)?$/iu.test(scheme)) {
    if (rest.startsWith("//")) return { kind: "postgres", url: value };
    throw usageError(`${name}: expected postgres://user:password@host/database`);
  }
  if (scheme === "file") return { kind: "sqlite", path: pathOf(fileURLToPath(value), name) };
  if (scheme === "sqlite") return { kind: "sqlite", path: pathOf(rest.replace(/^\/\/(?=\/)/u, ""), name) };
  if (scheme === "memory" && !isLikeAddress(rest)) return { kind: "memory" };
  if (scheme === "" || scheme === "memory") return { kind: "sqlite", path: pathOf(value, name) };
  const hint = didYouMean(scheme, ["sqlite", "memory", "postgres"]);
  const shown = isLikeAddress(value) || value.includes("@") ? name : `${name} ${value}`;
  throw usageError(`${shown}: unknown scheme "${scheme}:"${hint}; ${EXPECTED}`);
}

/** Nothing that may have a password becomes the name of a file, or is printed. */
function pathOf(path: string, name: string): string {
  if (path.trim() === "") throw usageError(`${name}: the path is empty; ${EXPECTED}`);
  if (isLikeAddress(path))
    throw usageError(`${name}: it looks like the address of a database, but cannot be read; ${EXPECTED}`);
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(path);
}
