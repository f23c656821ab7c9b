// Worker jobs: YAML written by users, in the frontmatter of rules, reminders and skills.

import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { meantKey, type PathsAnswer, splitList } from "./frontmatter.ts";

// Enough for anything written by hand, too little for an alias bomb.
const MAX_ALIASES = 100;

export function readPaths({ block }: { block: string }): PathsAnswer {
  const asItStands = parsePaths(block);
  if (asItStands.problem === undefined) return asItStands;
  const quoted = parsePaths(quoteValues(block));
  return quoted.problem === undefined ? { ...quoted, quoted: true } : asItStands;
}

function parsePaths(block: string): PathsAnswer {
  try {
    const document = parseDocument(block, { prettyErrors: false, logLevel: "silent" });
    // An unknown tag is only a warning, but here it is a pattern: `!src/**`.
    const wrong = document.errors[0] ?? document.warnings[0];
    if (wrong !== undefined) return { problem: wrong.message };
    return answerOf(document.toJS({ maxAliasCount: MAX_ALIASES }));
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function answerOf(root: unknown): PathsAnswer {
  if (root === null) return {};
  if (typeof root !== "object" || Array.isArray(root)) return { isText: true };
  const of = (key: string) => (Object.hasOwn(root, key) ? (root as Record<string, unknown>)[key] : undefined);
  const value = of("paths") ?? of("globs") ?? of("paths");
  if (value === undefined) return meantKey(Object.keys(root));
  if (value === null) return { value: null };
  if (!Array.isArray(value))
    return typeof value === "object" ? { problem: "paths is a map" } : { value: String(value) };
  const items = value.filter((item) => item !== null);
  return items.some((item) => typeof item === "object")
    ? { problem: "paths contains more than strings" }
    : { value: items.map(String) };
}

/** Quotes each value that is on one line and not quoted yet. */
export function quoteValues(block: string): string {
  return block
    .split(/\r?\n/u)
    .map((line) => {
      const start = /^(?:[A-Za-z_][\w-]*:|[ ]*-)[ \t]+/u.exec(line)?.[0];
      if (start === undefined) return line;
      return start + quoteValue(line.slice(start.length).trimEnd());
    })
    .join("\n");
}

function quoteValue(written: string): string {
  const comment = /^(["'])/u.test(written) ? -1 : written.search(/\s#/u);
  const value = comment === -1 ? written : written.slice(0, comment).trimEnd();
  const first = value[0] ?? "#";
  if (first === '"' && value.endsWith('"') && value.length > 1) {
    // The backslash belongs to the glob.
    const inside = value.slice(1, -1);
    return inside.includes("\\") && !inside.includes("'") ? `'${inside}'` : value;
  }
  if ("'\"#|>".includes(first) || value === "~" || value === "null") return value;
  if (first !== "[") return JSON.stringify(value);
  if (value.endsWith("]")) return `[${splitList(value.slice(1, -1)).map(quoteValue).join(", ")}]`;
  // A character class at the start of a glob, unless it is an unclosed list.
  return value.includes("]") ? JSON.stringify(value) : value;
}

// The frontmatter of a reminder, key by key, with the line of each.

export interface ReadField {
  key: string;
  value: unknown;
  line: number;
}

export type FieldsAnswer = { fields: ReadField[] } | { problem: string; line: number; column: number };
const MOST_FIELDS = 100;

/** As written, or with its values quoted if that is not YAML: `*.ts` would be an alias. */
export function readReminderFields({ block }: { block: string }): FieldsAnswer {
  const asItStands = tryToParse(block);
  if ("fields" in asItStands) return asItStands;
  const quoted = tryToParse(quoteValues(block));
  return "fields" in quoted ? quoted : asItStands;
}

function tryToParse(block: string): FieldsAnswer {
  try {
    return parseFields(block);
  } catch (error) {
    // An alias that is undefined, or expands to too much.
    return { problem: error instanceof Error ? error.message : String(error), line: 1, column: 1 };
  }
}

function parseFields(block: string): FieldsAnswer {
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const document = parseDocument(block, { prettyErrors: false, logLevel: "silent", lineCounter: lines });
  const wrong = document.errors[0] ?? document.warnings[0];
  if (wrong !== undefined) return { problem: wrong.message, ...at(wrong.pos[0]) };
  const { contents } = document;
  if (contents === null) return { fields: [] };
  if (!isMap(contents)) return { problem: "expected keys with values", line: 1, column: 1 };
  const values = document.toJS({ maxAliasCount: MAX_ALIASES }) as Record<string, unknown>;
  const fields = contents.items.slice(0, MOST_FIELDS).map(({ key }) => {
    const name = String(isScalar(key) ? key.value : key);
    const { line } = at((isScalar(key) ? key.range?.[0] : undefined) ?? 0);
    return { key: name, value: values[name], line };
  });
  return { fields };
}

// The frontmatter of a skill.

export interface SkillFields {
  name?: string;
  description?: string;
  problem?: string;
}

/** What can be read of it, and what is wrong with the rest. */
export function readSkillFields({ block }: { block: string }): SkillFields {
  try {
    const document = parseDocument(block, { prettyErrors: false, logLevel: "silent" });
    const [error] = document.errors;
    if (error !== undefined) return { ...lineByLine(block), problem: error.message };
    const root: unknown = document.toJS({ maxAliasCount: 0 });
    if (typeof root !== "object" || root === null || Array.isArray(root))
      return { problem: "it is not a map" };
    const { name, description } = root as Record<string, unknown>;
    return { ...text("name", name), ...text("description", description) };
  } catch (error) {
    return { ...lineByLine(block), problem: error instanceof Error ? error.message : String(error) };
  }
}

/** `description: Use this when: …` is not YAML, but people write it. */
function lineByLine(block: string): SkillFields {
  const of = (key: string) => new RegExp(`^${key}:[ \\t]*(\\S.*)$`, "mu").exec(block)?.[1]?.trim();
  return { ...text("name", of("name")), ...text("description", of("description")) };
}

function text(key: "name" | "description", value: unknown): SkillFields {
  return typeof value === "string" || typeof value === "number" ? { [key]: String(value) } : {};
}
