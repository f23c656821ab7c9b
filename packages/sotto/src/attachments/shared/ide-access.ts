// Whether the file that the user looks at in the IDE may be shown.

import type { IdeAccess, Observed } from "../../facts/facts.ts";

/** The reason to skip it; undefined when it may be shown. */
export function whyHidden(filename: string, access: Observed<IdeAccess> | undefined): string | undefined {
  if (!access?.known) return `it is not known whether ${filename} may be shown`;
  const { value } = access;
  if (value.path !== filename) return `it is not known yet whether ${filename} may be shown`;
  if (value.access === "secret") return `${filename} may contain secrets`;
  return value.access === "denied" ? `${filename} may not be read: ${value.rule ?? "denied"}` : undefined;
}
