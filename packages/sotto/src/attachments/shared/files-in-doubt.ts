// Why nothing is said about the files that were read: they are as they were, or cannot be looked at.

import type { Doubt, FileChanges } from "../../facts/facts.ts";
import { leftOut } from "../../render/wording.ts";

interface Changes {
  known: boolean;
  value?: FileChanges;
}

/** `none` says something of so many files: of all that were read, or of the others if some cannot be looked at. */
export function unlessInDoubt(changes: Changes, none: (files: string, count: number) => string): string {
  const { tracked = 0, unknown = [] } = changes.value ?? {};
  if (unknown.length === 0) return none("the files read", tracked);
  const rest = tracked - unknown.length;
  return [inDoubt(changes), ...(rest > 0 ? [none("the others", rest)] : [])].join("; ");
}

export function inDoubt({ value }: Changes): string | undefined {
  return named("cannot be checked now", value?.unknown);
}

export function named(what: string, files: readonly Doubt[] = []): string | undefined {
  return leftOut(
    what,
    files.map(({ path, why }) => ({ name: path, reason: why })),
  );
}
