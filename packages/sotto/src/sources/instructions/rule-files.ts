// The rules below a rules directory: every `.md` file, links followed, bounded.

import type { Look } from "./cache.ts";
import { joined } from "../../platform/paths-of-memory.ts";
import type { MemoryFiles, MemoryReach, Signature, SkippedMemory } from "./types.ts";

export interface RuleFile {
  path: string;
  seen: Signature;
}

// A rules directory is written by hand; one that goes past these is not.
const MAX_RULES = 1000;
const MAX_DIRECTORIES = 200;
const MAX_DEPTH = 8;
const MAX_NAMES = 5000;
/** Meant as a rule, most likely. */
const ALMOST = /\.(?:mdc|mdx|markdown|md)$/iu;

export interface RuleFiles {
  found: RuleFile[];
  skipped: SkippedMemory[];
}

export async function findRules(
  { directory, reach }: { directory: string; reach?: MemoryReach },
  look: Look,
  files: MemoryFiles,
): Promise<RuleFiles> {
  const found: RuleFile[] = [];
  const skipped: SkippedMemory[] = [];
  const walked = new Set<string>();

  const walk = async (at: string, seen: Signature | undefined, depth: number): Promise<void> => {
    if (seen?.kind !== "directory") return;
    // Links can lead back up.
    const identity = `${seen.dev}:${seen.ino}`;
    if (walked.has(identity)) return;
    walked.add(identity);
    if (depth > MAX_DEPTH || walked.size > MAX_DIRECTORIES) {
      skipped.push({ path: at, reason: `too many or too deep directories in ${directory}` });
      return;
    }
    const listed = await files.list(at, reach);
    if (typeof listed === "string") {
      look.doubt();
      skipped.push({ path: at, reason: listed });
      return;
    }
    for (const { name, kind } of listed)
      if (kind === "file" && ALMOST.test(name) && !name.endsWith(".md"))
        skipped.push({ path: joined(at, name), reason: "is no rule: their names end with .md" });
    const names = listed
      .filter(({ name, kind }) => (kind === "other" || kind === "file" ? name.endsWith(".md") : true))
      .map(({ name }) => name)
      .sort();
    const paths = names.slice(0, MAX_NAMES).map((name) => joined(at, name));
    const signatures = await look.signatures(paths);
    for (const [index, path] of paths.entries()) {
      const one = signatures[index];
      if (one?.kind === "directory") await walk(path, one, depth + 1);
      else if (!path.endsWith(".md")) continue;
      else if (one === undefined) skipped.push({ path, reason: "is a link that leads nowhere" });
      else if (one.kind === "other") skipped.push({ path, reason: "is not a regular file" });
      else if (found.length >= MAX_RULES) {
        skipped.push({ path, reason: `more than ${MAX_RULES} rules in ${directory}: the rest is left out` });
        return;
      } else found.push({ path, seen: one });
    }
  };

  const [seen] = await look.signatures([directory]);
  await walk(directory, seen, 0);
  found.sort((one, other) => (one.path < other.path ? -1 : 1));
  return { found, skipped };
}
