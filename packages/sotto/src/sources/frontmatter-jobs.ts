// Worker jobs: YAML written by users.

import { parseDocument } from "yaml";
import { meantKey, type PathsAnswer, splitList } from "./frontmatter.ts";

// Enough for anything written by hand, too little for an alias bomb.
const MAX_ALIASES = 100;

export function readPaths({ block }: { block: string }): PathsAnswer {
  const asItStands = parse(block);
  if (asItStands.problem === undefined) return asItStands;
  const quoted = parse(quoteValues(block));
  return quoted.problem === undefined ? { ...quoted, quoted: true } : asItStands;
}

function parse(block: string): PathsAnswer {
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
