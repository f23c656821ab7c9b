// Long messages of people and other agents: their parts, and where the rest is.

import * as v from "valibot";
import type { Edge, TextPart } from "../../facts/pending.ts";
import { pathInText } from "../../render/wording.ts";

/** Data fields of types that may be split. */
export const longFields = {
  /** Which characters these are, when it is a part. */
  part: v.optional(v.object({ from: v.number(), to: v.number(), of: v.number() })),
  /** Where the whole text is, when it is too long to send. */
  cut: v.optional(v.object({ path: v.optional(v.string()), of: v.number() })),
};

/** Which part it is, in words; undefined when it is whole. */
export function whichPart(part: TextPart | undefined): string | undefined {
  return part === undefined ? undefined : `part, characters ${part.from + 1} to ${part.to} of ${part.of}`;
}

export function partInBrackets(part: TextPart | undefined): string {
  return part === undefined ? "" : ` (${whichPart(part)})`;
}

export function goesOn(part: TextPart | undefined): boolean {
  return part !== undefined && part.to < part.of;
}

/** After the text: that there is more, and where. */
export function restNote(long: Long): string {
  const rest = whereRest(long);
  return rest === undefined ? "" : `\n\n(${rest[0]?.toUpperCase()}${rest.slice(1)}.)`;
}

export function whereRest({ part, cut }: Long): string | undefined {
  if (goesOn(part)) return "it goes on: the next part comes in a later request";
  if (cut === undefined) return undefined;
  const where = cut.path === undefined ? "" : `: all of it is in the file ${pathInText(cut.path)}`;
  return `cut, as it has ${cut.of} characters${where}`;
}

interface Long {
  part?: TextPart | undefined;
  cut?: Edge["cut"] | undefined;
}
