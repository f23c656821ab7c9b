// The names of our tags: the defaults, those in config, and those that were configured before.

import * as v from "valibot";
import { createNeutraliser, defaultReservedTags, type Neutraliser } from "./neutralise/neutralise.ts";

/** Tags around a whole block. */
export const WRAPPING_TAGS = ["system-reminder", "system-notification", "teammate-message"];

/** All tags. An inner tag may appear without the outer one if a client removed that. */
export const OWN_TAGS = [
  ...WRAPPING_TAGS,
  "new-diagnostics",
  "session-memory",
  "mcp-resource",
  "background-remote-session-status",
] as const;

const tagName = v.pipe(
  v.string(),
  v.regex(
    /^[a-z][a-z0-9_-]{2,39}$/u,
    "expected 3 to 40 lower-case letters, digits, - and _, starting with a letter",
  ),
  v.check((name) => !defaultReservedTags.includes(name), "expected a name that is not reserved already"),
);

/** Other names for tags, by their default name. */
export const tagsSchema = v.pipe(
  v.strictObject(v.entriesFromList(OWN_TAGS, v.exactOptional(tagName))),
  v.check((names) => {
    const given = Object.values(names);
    return new Set(given).size === given.length;
  }, "expected a different name for each tag"),
);

export type TagNames = v.InferOutput<typeof tagsSchema>;

export interface Tags {
  /** The name that is sent. */
  nameOf(tag: string): string;
  /** Every name that our blocks have or had. */
  wrapping: readonly string[];
  neutraliser: Neutraliser;
}

/** `former`: names that were configured earlier. */
export function createTags(names: TagNames, former: readonly string[] = []): Tags {
  const other = [...new Set([...given(names), ...former])];
  return {
    nameOf: (tag) => names[tag as keyof TagNames] ?? tag,
    wrapping: [...WRAPPING_TAGS, ...other],
    neutraliser: createNeutraliser({ reserved: other }),
  };
}

/** The tags of a session, rebuilt only when a name changes. */
export function createTagCache(): (names: TagNames, former: readonly string[]) => Tags {
  let made: { names: TagNames; former: readonly string[]; tags: Tags } | undefined;
  return (names, former) => {
    if (made?.names !== names || made.former !== former)
      made = { names, former, tags: createTags(names, former) };
    return made.tags;
  };
}

/** Names in use that the log does not have yet. */
export function newNames(names: TagNames, former: readonly string[]): string[] {
  return given(names).filter((name) => !former.includes(name));
}

function given(names: TagNames): string[] {
  return Object.values(names).filter((name) => name !== undefined);
}
