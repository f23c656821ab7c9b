// What the use of a tool means, by the fields of its input.

/** What a tool does; the strings name fields of its input. */
export type ToolMeaning =
  | Reading
  /** `content`: the whole text. A part that is replaced has one of the usual names. */
  | { does: "write"; path: string; content?: string }
  | { does: "remove"; path: string }
  /** A text with `*** Update File: path` and the like; `directory`: the one that relative paths are meant from. */
  | { does: "patch"; text: string; directory?: string }
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

// What agents call the fields of their tools' inputs; written without case, dashes and underscores, the usual one first.

export const PATH =
  "filepath path absolutepath targetfile relativepath file filename notebookpath filepathabsolute";
export const PATHS = "paths files filepaths";
export const DIRECTORY =
  "workdir cwd workingdirectory dirpath directory dir directorypath relativeworkspacepath";
export const COMMAND = "command cmd commandline shellcommand script";
export const PATCH = "patch input patchtext command diff";
export const LIST = "todos plan items tasks todolist steps";
export const BACKGROUND = "runinbackground isbackground background";
export const WHOLE = "content contents filetext";
export const OLD = "oldstring oldstr oldtext";
export const NEW = "newstring newstr newtext";
export const LINE_NUMBER = "insertline";
export const PUT_IN = "inserttext newstr newstring newtext text";
export const EVERYWHERE = "replaceall allowmultiple";
export const SEARCH = "pattern query regex glob searchterm includepattern";

/** As the tool spells it. */
export function pick(fields: readonly string[], candidates: string): string | undefined {
  const spelt = fields.map(plain);
  for (const candidate of candidates.split(" ")) {
    const at = spelt.indexOf(candidate);
    if (at >= 0) return fields[at];
  }
  return undefined;
}

export function plain(field: string): string {
  return field.replaceAll(/[^a-zA-Z0-9]/gu, "").toLowerCase();
}
