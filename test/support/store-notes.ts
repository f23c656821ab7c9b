// Entries and claims for the stores' tests.

import type { Claim, NewEntry } from "../../packages/sotto/src/log/entries.ts";

/** An entry that can be told from others, at its own second. */
export function note(n: number): NewEntry {
  const at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
  return { kind: "event", v: 1, at, event: { type: "task_progress", taskId: "t", message: String(n) } };
}

export function textOf(entry: NewEntry): string | undefined {
  return entry.kind === "event" && entry.event.type === "task_progress" ? entry.event.message : undefined;
}

export function claim(owner: string, keys: string[]): Claim {
  return { owner, keys, now: 1000, expiresAt: 2000 };
}

export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
