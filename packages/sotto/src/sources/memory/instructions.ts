// Which instruction files speak about paths that were touched: looked up, and recorded for the model to hear.

import type { MemoryFile } from "../../core/events.ts";
import { absolutePath } from "../../core/path.ts";
import type { Source } from "../../core/source.ts";
import type { MemoryShelf } from "./open.ts";
import type { LoadedMemory, MemoryResult, SkippedMemory } from "./types.ts";

// Enough to tell why a rule did not come; the whole list is for `sotto memory`.
const SKIPPED_KEPT = 20;

export function createInstructionsSource(shelf: MemoryShelf): Source<"instructions"> {
  return {
    fact: "instructions",
    behind: ["mentioned"],
    async observe(turn) {
      const paths = [...turn.facts.memory.touched];
      if (paths.length === 0) return { unknown: [] };
      const memory = await shelf({ config: turn.settings.memory, work: turn.work });
      const [start, ...found] = await Promise.all([
        memory.session(),
        ...paths.map((path) => memory.nested({ path: absolutePath(path, turn.cwd) })),
      ]);
      // What the session began with is not said a second time.
      const atStart = turn.settings.types.get("project_context")?.enabled ? start.loaded : [];
      await turn.record([{ type: "memory_resolved", paths, ...merged(found, atStart) }]);
      return { unknown: [] };
    },
  };
}

function merged(
  results: readonly MemoryResult[],
  atStart: readonly LoadedMemory[],
): { loaded: MemoryFile[]; skipped: SkippedMemory[] } {
  const known = new Set(atStart.map(versionOf));
  const loaded = new Map<string, MemoryFile>();
  const skipped = new Map<string, SkippedMemory>();
  for (const result of results) {
    for (const file of result.loaded) {
      if (known.has(versionOf(file)))
        skipped.set(file.path, { path: file.path, reason: "was said at the start of the session" });
      else if (!loaded.has(file.key)) loaded.set(file.key, toMemoryFile(file));
    }
    if (skipped.size < SKIPPED_KEPT)
      for (const one of result.skipped) skipped.set(one.path, { path: one.path, reason: one.reason });
    for (const { path, problem } of result.problems) skipped.set(path, { path, reason: problem });
  }
  return { loaded: [...loaded.values()], skipped: [...skipped.values()].slice(0, SKIPPED_KEPT) };
}

function versionOf({ key, hash }: LoadedMemory): string {
  return `${hash} ${key}`;
}

function toMemoryFile({
  path,
  key,
  kind,
  reason,
  for: cause,
  hash,
  content,
  truncated,
}: LoadedMemory): MemoryFile {
  return { path, key, kind, reason, for: cause, hash, content, ...(truncated ? { truncated } : {}) };
}
