// What people and other agents write can be long: how much of it an edge keeps, and how its parts are told.

import * as v from "valibot";
import type { Edge, TextPart } from "../../facts/pending.ts";
import { pathInText } from "../../render/wording.ts";

/** Fields of a type's data for what may come in parts. */
export const longFields = {
  /** Which characters these are, where it comes in parts. */
  part: v.optional(v.object({ from: v.number(), to: v.number(), of: v.number() })),
  /** Where all of it is, where it is too long to be sent. */
  cut: v.optional(v.object({ path: v.optional(v.string()), of: v.number() })),
};

export function longData({ part, cut }: Edge): Pick<Edge, "part" | "cut"> {
  return { ...(part === undefined ? {} : { part }), ...(cut === undefined ? {} : { cut }) };
}

/** Which part it is, in words; nothing where it is whole. */
export function whichPart(part: TextPart | undefined): string | undefined {
  return part === undefined ? undefined : `part, characters ${part.from + 1} to ${part.to} of ${part.of}`;
}

export function partInBrackets(part: TextPart | undefined): string {
  return part === undefined ? "" : ` (${whichPart(part)})`;
}

export function goesOn(part: TextPart | undefined): boolean {
  return part !== undefined && part.to < part.of;
}

/** Behind the text: that there is more, and where. */
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
