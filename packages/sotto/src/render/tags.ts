// The names of our tags: the defaults, those in config, and those that were configured before.

import { createNeutraliser, type Neutraliser } from "./neutralise/neutralise.ts";

/** Tags around a whole block. */
export const WRAPPING_TAGS = ["system-reminder", "system-notification", "teammate-message"] as const;

/** All tags. An inner tag may appear without the outer one if a client removed that. */
export const OWN_TAGS = [
  ...WRAPPING_TAGS,
  "new-diagnostics",
  "session-memory",
  "mcp-resource",
  "background-remote-session-status",
] as const;

/** Other names for tags, by their default name. */
export type TagNames = { [tag in (typeof OWN_TAGS)[number]]?: string };

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
    neutraliser: neutraliserFor(other),
  };
}

// Nearly all sessions of a process have the same names, and a neutraliser is large.
const neutralisers = new Map<string, Neutraliser>();
const NEUTRALISERS_MOST = 20;

function neutraliserFor(reserved: readonly string[]): Neutraliser {
  const key = reserved.join("\n");
  const known = neutralisers.get(key) ?? createNeutraliser({ reserved });
  if (neutralisers.size >= NEUTRALISERS_MOST) neutralisers.clear();
  neutralisers.set(key, known);
  return known;
}

/** What they are made of, and the tags. */
interface MadeTags {
  names: TagNames;
  former: readonly string[];
  tags: Tags;
}

// Sessions with the same settings have the same names, and nearly none had others before.
const usual = new WeakMap<TagNames, Tags>();

/** The tags of a session, rebuilt only when a name changes. */
export class TagCache {
  #made: MadeTags | undefined;

  tagsOf(names: TagNames, former: readonly string[]): Tags {
    if (former.length === 0) return usualTags(names);
    if (this.#made?.names !== names || this.#made.former !== former)
      this.#made = { names, former, tags: createTags(names, former) };
    return this.#made.tags;
  }
}

function usualTags(names: TagNames): Tags {
  const known = usual.get(names) ?? createTags(names);
  usual.set(names, known);
  return known;
}

/** Names in use that the log does not have yet. */
export function newNames(names: TagNames, former: readonly string[]): string[] {
  return given(names).filter((name) => !former.includes(name));
}

function given(names: TagNames): string[] {
  return Object.values(names).filter((name) => name !== undefined);
}
