// The names in an open directory, sorted and bounded.

import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { joined } from "../../platform/paths.ts";
import { processIoLimit } from "./io-limit.ts";
import type { ListedEntry } from "./read-outcome.ts";
import type { FileSystem } from "./safe-open.ts";

export interface ListOptions {
  fileSystem: FileSystem;
  limit: number;
  isWanted(entry: ListedEntry): boolean;
  isOver(): boolean;
}

export interface Listed {
  entries: ListedEntry[];
  /** How many names are not wanted. */
  hidden: number;
  truncated: boolean;
}

// Of a larger directory only the names that the file system lists first are used.
const LOOKED_AT = 10_000;
const AT_ONCE = 256;

export async function listNames(
  path: string,
  { fileSystem, limit, isWanted, isOver }: ListOptions,
): Promise<Listed> {
  const directory = await fileSystem.opendir(path, { bufferSize: AT_ONCE });
  const entries: ListedEntry[] = [];
  let seen = 0;
  let hidden = 0;
  try {
    while (!isOver() && seen < LOOKED_AT) {
      const found = await directory.read();
      if (found === null) break;
      seen++;
      const entry = { name: found.name, kind: kindOf(found) };
      if (isWanted(entry)) entries.push(entry);
      else hidden++;
    }
  } finally {
    await directory.close().catch(() => {});
  }
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  const truncated = entries.length > limit || seen === LOOKED_AT;
  return { entries: entries.slice(0, limit), hidden, truncated };
}

function kindOf(entry: Dirent): ListedEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "special";
}

// The entries below a directory, bounded; links are not followed.

export interface WalkOptions {
  /** The maximum number of entries. */
  most: number;
  /** Directories that are not entered. */
  isSkipped?(path: string, name: string): boolean;
  see(path: string, entry: Dirent): Promise<void> | void;
}

// They contain no secrets of the user's, and may have hundreds of thousands of files.
const CROWDED = new Set(["node_modules", ".git"]);

/** Whether all of it was visited. A directory that cannot be listed contains nothing that could be read. */
export async function walk(directory: string, { most, isSkipped, see }: WalkOptions): Promise<boolean> {
  const open = [directory];
  let seen = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const place = at;
    const entries = await processIoLimit.run<Dirent[] | undefined>({
      task: () => readdir(place, { withFileTypes: true }).catch(() => []),
      refused: () => undefined,
    });
    if (entries === undefined) return false;
    for (const entry of entries) {
      if (++seen > most) return false;
      const path = joined(place, entry.name);
      await see(path, entry);
      if (entry.isDirectory() && !CROWDED.has(entry.name) && !isSkipped?.(path, entry.name)) open.push(path);
    }
  }
  return true;
}
