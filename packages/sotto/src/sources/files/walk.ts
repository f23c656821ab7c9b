// The entries below a directory, links not followed, no more of them than wanted.

import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { joined } from "../../platform/paths-of-memory.ts";
import { processGate } from "./io-limit.ts";

export interface WalkOptions {
  /** So many entries at the most. */
  most: number;
  /** Directories that are not entered. */
  isSkipped?(path: string, name: string): boolean;
  see(path: string, entry: Dirent): Promise<void> | void;
}

// Nobody keeps secrets of their own in there, and there can be hundreds of thousands.
const CROWDED = new Set(["node_modules", ".git"]);

/** Whether all of it was seen. What cannot be listed holds nothing that could be read. */
export async function walk(directory: string, { most, isSkipped, see }: WalkOptions): Promise<boolean> {
  const open = [directory];
  let seen = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const place = at;
    const entries = await processGate.run<Dirent[] | undefined>({
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
