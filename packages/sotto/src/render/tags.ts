// The names of our tags: as they are by default, as config has them, and as they were before.

import * as v from "valibot";
import { createNeutraliser, defaultReservedTags, type Neutraliser } from "./neutralise/neutralise.ts";

/** Tags that stand around a whole block of ours. */
export const WRAPPING_TAGS = ["system-reminder", "system-notification", "teammate-message"];

/** All of them. Those that stand inside another are found bare where a client has taken that away. */
export const OWN_TAGS = [
  ...WRAPPING_TAGS,
  "new-diagnostics",
  "session-memory",
  "mcp-resource",
  "background-remote-session-status",
] as const;

const tagName = v.pipe(
  v.string(),
  v.regex(/^[a-z][a-z0-9_-]{2,39}$/u, "expected 3 to 40 small letters, digits, - and _, a letter first"),
  v.check(
    (name) => !defaultReservedTags.includes(name),
    "expected another name than those that are reserved already",
  ),
);

/** Other names for tags, by the name they have by default. */
export const tagsSchema = v.pipe(
  v.strictObject(v.entriesFromList(OWN_TAGS, v.exactOptional(tagName))),
  v.check((names) => {
    const given = Object.values(names);
    return new Set(given).size === given.length;
  }, "expected a different name for each tag"),
);

export type TagNames = v.InferOutput<typeof tagsSchema>;

export interface Tags {
  /** The name that goes out. */
  nameOf(tag: string): string;
  /** Every name that a block of ours has or had around it. */
  wrapping: readonly string[];
  neutraliser: Neutraliser;
}

/** `former`: other names that were in use earlier. */
export function createTags(names: TagNames, former: readonly string[] = []): Tags {
  const other = [...new Set([...given(names), ...former])];
  return {
    nameOf: (tag) => names[tag as keyof TagNames] ?? tag,
    wrapping: [...WRAPPING_TAGS, ...other],
    neutraliser: createNeutraliser({ reserved: other }),
  };
}

/** The tags of a session: made anew only where a name changed. */
export function createTagCache(): (names: TagNames, former: readonly string[]) => Tags {
  let made: { names: TagNames; former: readonly string[]; tags: Tags } | undefined;
  return (names, former) => {
    if (made?.names !== names || made.former !== former)
      made = { names, former, tags: createTags(names, former) };
    return made.tags;
  };
}

/** Names that are in use and that the log does not know of yet. */
export function newNames(names: TagNames, former: readonly string[]): string[] {
  return given(names).filter((name) => !former.includes(name));
}

function given(names: TagNames): string[] {
  return Object.values(names).filter((name) => name !== undefined);
}
