// Opens the store that --store names.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createMemoryStore, createSqliteStore, defaultStorePath } from "sotto";
import type { Store } from "sotto/extend";
import { didYouMean } from "sotto/internal";
import { failed, usageError } from "sotto-agent/terminal";

export interface OpenedStore {
  store: Store;
  /** Its path, or memory:. */
  where: string;
}

export function openStore(url: string | undefined): OpenedStore {
  return openStoreAt(storePath(url));
}

export function openStoreAt(path: string | undefined): OpenedStore {
  if (path === undefined) return { store: createMemoryStore(), where: "memory:" };
  return { store: createSqliteStore({ path }), where: path };
}

/** Opens a store for reading; throws if it does not exist. */
export function openExistingStore(url: string | undefined): OpenedStore {
  const path = storePath(url);
  if (path === undefined) throw usageError("--store memory: holds nothing to read", "no_store");
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    throw failed(
      `no store at ${path}; \`sotto turn --session ID\` creates one, --store chooses another`,
      "no_store",
    );
  return { store: createSqliteStore({ path }), where: path };
}

/** Undefined for a store in memory. `name` is the option or field the value comes from. */
export function storePath(url: string | undefined, name = "--store"): string | undefined {
  if (url === undefined) return defaultStorePath();
  // A single letter is a Windows drive.
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]+):(.*)$/isu.exec(url) ?? [];
  if (scheme === "") return fromHome(url, name);
  if (scheme === "memory") return undefined;
  if (scheme === "file") return fileURLToPath(url);
  if (scheme === "sqlite") return fromHome(rest.replace(/^\/\/(?=\/)/u, ""), name);
  const hint = didYouMean(scheme, ["sqlite", "memory"]);
  throw usageError(
    `${name} ${url}: unknown scheme "${scheme}:"${hint}; expected a path, sqlite:PATH or memory:`,
  );
}

function fromHome(path: string, name: string): string {
  if (path.trim() === "")
    throw usageError(`${name}: the path is empty; expected a path, sqlite:PATH or memory:`);
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(path);
}
