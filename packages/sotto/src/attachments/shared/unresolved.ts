// What was mentioned and does not come, for the trace of the type whose silence it is.

import type { Mentioned, Observed, Unresolved } from "../../facts/facts.ts";

/** Without `of`: what no other type tells of. */
export function unresolvedIn(
  mentioned: Observed<Mentioned> | undefined,
  of?: Unresolved["of"],
): { name: string; reason: string }[] {
  if (!mentioned?.known) return [];
  return mentioned.value.unresolved.flatMap((one) =>
    one.of === of ? [{ name: one.text, reason: one.reason }] : [],
  );
}
