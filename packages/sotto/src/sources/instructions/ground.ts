// Everything an answer is made of.

import type { FilesUnit } from "./files-unit.ts";
import type { Layout } from "./layout.ts";
import type { RulesUnit } from "./directory.ts";
import type { MemoryOptions } from "./types.ts";

/** A directory with what it holds; a part is absent where it is switched off. */
export interface Place {
  directory: string;
  files?: FilesUnit | undefined;
  rules?: RulesUnit | undefined;
}

export interface Ground {
  options: MemoryOptions;
  layout: Layout;
  managed?: RulesUnit | undefined;
  userFiles?: FilesUnit | undefined;
  user: readonly RulesUnit[];
  /** Below cwd, top down. */
  nested: readonly Place[];
  /** Down to cwd. */
  levels: readonly Place[];
}

/** The path as given, the same path seen from cwd, and the real one. */
export interface Touched {
  path: string;
  inside: string;
  realPath: string;
}

export function unitsOf({ managed, userFiles, user, nested, levels }: Ground): (FilesUnit | RulesUnit)[] {
  const places = [...nested, ...levels].flatMap(({ files, rules }) => [files, rules]);
  return [managed, userFiles, ...user, ...places].filter((unit) => unit !== undefined);
}
