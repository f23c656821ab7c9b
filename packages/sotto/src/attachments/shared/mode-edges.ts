// Entering and leaving a mode, as due reminders see it.

import type { ModeFact } from "../../facts/mode.ts";
import { type Skip, skip } from "../attachment.ts";

/** The entry that the mode is on since: its throttle counts apart, and its first reminder covers it. */
export function currentEntry({ pending, entry }: ModeFact): { key: string; covers?: string[] } {
  const key = `entry-${entry}`;
  const edge = pending.find((one) => one.kind === "entry" && one.entry === entry);
  return edge === undefined ? { key } : { key, covers: [edge.id] };
}

/** Leaving a mode; skipped when the model never learned that the mode was on. */
export function exitsFrom(name: string, { pending }: ModeFact): ModeFact["pending"] | Skip {
  const exit = pending.find(({ kind, mode }) => kind === "exit" && mode === name);
  if (exit === undefined) return [];
  return pending.some(({ kind, entry }) => kind === "entry" && entry === exit.entry)
    ? skip(`${name} mode was entered and left before anything was sent about it`)
    : [exit];
}
