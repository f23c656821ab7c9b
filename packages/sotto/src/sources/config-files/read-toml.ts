// A config file read: its `[system_reminder]` table, and in words with lines what is wrong with it.

import { parse, TomlError } from "smol-toml";
import type { Attachment } from "../../attachments/attachment.ts";
import { configSchema, isTable, resolveSettings } from "../../config/schema.ts";
import { type ConfigTable, withOneName } from "../../config/layers.ts";
import type { SottoError } from "../../platform/errors.ts";
import { nearest } from "../../platform/nearest.ts";
import type { Problem } from "../../platform/problem.ts";
import { placeOfKey } from "./toml-places.ts";

const TABLE = "system_reminder";

export interface ReadConfig {
  /** Right, and each attachment by its one name; nothing where it is to be skipped. */
  config?: ConfigTable;
  problems: Problem[];
}

/** Other tables are others' affair, as the file may be a host's; what looks like a slip is told. */
export function readToml(path: string, text: string, catalogue: readonly Attachment[]): ReadConfig {
  let document: ConfigTable;
  try {
    document = parse(text) as ConfigTable;
  } catch (error) {
    return { problems: [syntaxProblem(path, error)] };
  }
  const problems = slips(document).map(({ key, problem }) => problemAt({ path, text, keys: [key], problem }));
  if (!Object.hasOwn(document, TABLE)) return { problems };
  try {
    resolveSettings(document[TABLE], catalogue);
  } catch (error) {
    const { keys = [], message } = error as SottoError;
    const problem = `${message.replace(/^config\b/u, TABLE)} (the file is left out)`;
    return { problems: [...problems, problemAt({ path, text, keys: [TABLE, ...keys], problem })] };
  }
  return { config: withOneName(document[TABLE], catalogue) as ConfigTable, problems };
}

/** A table that is a host's affair; nothing where there is none, or the text is no TOML. */
export function tableOf(text: string, name: string): unknown {
  try {
    const document = parse(text);
    return Object.hasOwn(document, name) ? document[name] : undefined;
  } catch {
    return undefined;
  }
}

export interface WrongKey {
  path: string;
  text: string;
  keys: readonly string[];
  problem: string;
}

export function problemAt({ path, text, keys, problem }: WrongKey): Problem {
  const place = placeOfKey(text, keys);
  return { where: path, ...(place === undefined ? {} : { line: place.line, column: place.column }), problem };
}

function syntaxProblem(path: string, error: unknown): Problem {
  if (!(error instanceof TomlError)) return { where: path, problem: "it cannot be read; it is left out" };
  const [words = ""] = error.message.replace(/^Invalid TOML document: /u, "").split("\n");
  return {
    where: path,
    line: error.line,
    column: error.column,
    problem: `it is not valid TOML: ${words} (the file is left out)`,
  };
}

function slips(document: ConfigTable): { key: string; problem: string }[] {
  return Object.entries(document).flatMap(([key, value]) => {
    if (key === TABLE) return [];
    if (nearest(key, [TABLE]) !== undefined)
      return [{ key, problem: `"${key}" is not known; did you mean "${TABLE}"?` }];
    // Written above the table's heading, or without one.
    if (Object.hasOwn(configSchema.entries, key) && (!isTable(value) || key === "attachments"))
      return [{ key, problem: `"${key}" stands outside of [${TABLE}], where it means nothing` }];
    return [];
  });
}
