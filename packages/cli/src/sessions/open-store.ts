// Where sessions are kept: from what the caller wrote after --store to an open store.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createMemoryStore, createSqliteStore, defaultStorePath } from "sotto";
import type { Store } from "sotto/extend";
import { didYouMean } from "sotto/internal";
import { failed, wrongUse } from "sotto-agent/terminal";

export interface OpenedStore {
  store: Store;
  /** For people. */
  where: string;
}

export function openStore(url: string | undefined): OpenedStore {
  return openStoreAt(storePath(url));
}

export function openStoreAt(path: string | undefined): OpenedStore {
  if (path === undefined) return { store: createMemoryStore(), where: "memory:" };
  return { store: createSqliteStore({ path }), where: path };
}

/** For reading: a store that is not there is not made. */
export function openExistingStore(url: string | undefined): OpenedStore {
  const path = storePath(url);
  if (path === undefined)
    throw wrongUse("--store memory: keeps nothing that could be read later", "no_store");
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    throw failed(
      `there is no store at ${path}; \`sotto turn --session ID\` makes one, --store names another`,
      "no_store",
    );
  return { store: createSqliteStore({ path }), where: path };
}

/** Nothing for a store in memory. `name` is what the caller wrote it after. */
export function storePath(url: string | undefined, name = "--store"): string | undefined {
  if (url === undefined) return defaultStorePath();
  // One letter is a drive of Windows.
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]+):(.*)$/isu.exec(url) ?? [];
  if (scheme === "") return fromHome(url, name);
  if (scheme === "memory") return undefined;
  if (scheme === "file") return fileURLToPath(url);
  if (scheme === "sqlite") return fromHome(rest.replace(/^\/\/(?=\/)/u, ""), name);
  const hint = didYouMean(scheme, ["sqlite", "memory"]);
  throw wrongUse(`${name} ${url}: "${scheme}:" is not known${hint}; give a path, sqlite:PATH or memory:`);
}

function fromHome(path: string, name: string): string {
  if (path.trim() === "") throw wrongUse(`${name}: the path is empty; give a path, sqlite:PATH or memory:`);
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(path);
}
