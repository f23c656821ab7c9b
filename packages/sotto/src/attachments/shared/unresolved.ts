// Mentions that could not be resolved, for the trace of the type that would have sent them.

import type { Mentioned, Observed, Unresolved } from "../../facts/facts.ts";

/** Without `of`: those that no other type reports. */
export function unresolvedIn(
  mentioned: Observed<Mentioned> | undefined,
  of?: Unresolved["of"],
): { name: string; reason: string }[] {
  if (!mentioned?.known) return [];
  return mentioned.value.unresolved.flatMap((one) =>
    one.of === of ? [{ name: one.text, reason: one.reason }] : [],
  );
}
