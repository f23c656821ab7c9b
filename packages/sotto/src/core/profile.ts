// What is known of an agent that somebody else wrote: what its tools mean, and what it tells its model itself.

import type { Attachment } from "./attachment.ts";
import { type Config, typesNamed } from "./config.ts";

export interface Profile {
  /** As on the command line: `claude-code`. */
  name: string;
  /** As people call it. */
  title: string;
  /** By the name the model calls them, names of older versions included. */
  tools: Readonly<Record<string, ToolMeaning>>;
  /** Types, generators or aliases that are off there unless config says otherwise, because the agent does the same: how. */
  does: Readonly<Record<string, string>>;
  /** Its names for tools that reminders speak of, by ours. What is not listed it does not have. */
  names: Readonly<Record<string, string>>;
  /** What else is different there unless config says otherwise. */
  defaults?: Config;
}

/** What a tool does; the strings name fields of its input. */
export type ToolMeaning =
  | Reading
  | { does: "write"; path: string }
  | { does: "remove"; path: string }
  /** A text with `*** Update File: path` and the like. */
  | { does: "patch"; text: string }
  | Commanding
  | { does: "search"; path: string }
  | Listing
  | { does: "mode"; mode: string; planFile?: string }
  /** A field of its input says which of these it does. */
  | { does: "choose"; by: string; of: Readonly<Record<string, ToolMeaning>> };

export interface Reading {
  does: "read";
  path: string;
  /** A field that holds a list of such inputs, or of paths. */
  each?: string;
  /** The first line; counted from 1 unless said. */
  offset?: string;
  offsetFrom?: 0 | 1;
  /** How many lines, or the last one. */
  limit?: string;
  lastLine?: string;
  /** How many lines it shows where nobody asks for a part; all of them unless said. */
  shows?: number;
  /** The first and the last line, as a list of two; -1: to the end. */
  range?: string;
  /** Other fields that ask for a part. */
  parts?: readonly string[];
}

/** A shell command, as text or as a list of words. */
export interface Commanding {
  does: "command";
  command: string;
  /** A field that holds a list of commands instead. */
  each?: string;
  directory?: string;
}

/** A todo list, written as a whole. */
interface Listing {
  does: "todos";
  list: string;
  /** Of an item; the first of several that is there. */
  content: string | readonly string[];
  activeForm?: string;
}

/** The profile as a layer of config, below the user's. */
export function profileDefaults({ does, defaults = {} }: Profile): Config {
  const off = Object.fromEntries(Object.keys(does).map((name) => [name, false]));
  return { ...defaults, attachments: { ...off, ...defaults.attachments } };
}

/** By type, what the agent does instead, in words. */
export function doneByAgent(
  profile: Profile | undefined,
  catalogue: readonly Attachment[],
): ReadonlyMap<string, string> {
  const done = new Map<string, string>();
  for (const [name, how] of Object.entries(profile?.does ?? {}))
    for (const { type } of typesNamed(name, catalogue)) done.set(type, `${profile?.title} ${how}`);
  return done;
}
