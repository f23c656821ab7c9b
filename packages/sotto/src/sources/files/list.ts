// The names in an open directory, sorted, and no more of them than wanted.

import type { Dirent } from "node:fs";
import type { FileSystem } from "./safe-open.ts";
import type { ListedEntry } from "./read-outcome.ts";

export interface ListOptions {
  fileSystem: FileSystem;
  limit: number;
  isWanted(entry: ListedEntry): boolean;
  isOver(): boolean;
}

// Of a directory with more, the names the file system gives first stand for all.
const LOOKED_AT = 10_000;
const AT_ONCE = 256;

export async function listNames(
  path: string,
  { fileSystem, limit, isWanted, isOver }: ListOptions,
): Promise<{ entries: ListedEntry[]; truncated: boolean }> {
  const directory = await fileSystem.opendir(path, { bufferSize: AT_ONCE });
  const entries: ListedEntry[] = [];
  let seen = 0;
  try {
    while (!isOver() && seen < LOOKED_AT) {
      const found = await directory.read();
      if (found === null) break;
      seen++;
      const entry = { name: found.name, kind: kindOf(found) };
      if (isWanted(entry)) entries.push(entry);
    }
  } finally {
    await directory.close().catch(() => {});
  }
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { entries: entries.slice(0, limit), truncated: entries.length > limit || seen === LOOKED_AT };
}

function kindOf(entry: Dirent): ListedEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "special";
}
