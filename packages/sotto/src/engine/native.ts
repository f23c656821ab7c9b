// Which reminders may go into the provider's trusted role: those in which every word is the engine's or its user's.

import type { Draft } from "./draft.ts";

/**
 * A type that calls its words its own is not enough: file names, branches, agents' names and values of config come in
 * through its data, and a project may have chosen any of them. So every text in the data counts as a stranger's unless
 * the type says of that field whose it is (`ownWords`).
 */
export function mayBeNative({ candidate: { attachment, due }, blocks, ofProject }: Draft): boolean {
  const carries = due.carries ?? attachment.carries;
  if (carries !== "own" || ofProject || blocks.some(({ type }) => type !== "text")) return false;
  const ownWords: readonly string[] = attachment.ownWords ?? [];
  if (typeof due.data !== "object" || due.data === null) return !holdsText(due.data);
  return Object.entries(due.data).every(([field, value]) => ownWords.includes(field) || !holdsText(value));
}

/** Names in a table are text as well; those of a type's own fields are not asked about. */
function holdsText(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsText);
  return Object.keys(value).length > 0;
}
