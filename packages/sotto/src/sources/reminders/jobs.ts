// A worker's job: the frontmatter of a reminder, key by key, with the line of each.

import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { quoteValues } from "../frontmatter-jobs.ts";

export interface ReadField {
  key: string;
  value: unknown;
  line: number;
}

export type FieldsAnswer = { fields: ReadField[] } | { problem: string; line: number; column: number };

// Enough for anything written by hand, too little for an alias bomb.
const MAX_ALIASES = 100;
const MOST_FIELDS = 100;

/** As written, or with its values quoted if that is not YAML: `*.ts` would be an alias. */
export function readFields({ block }: { block: string }): FieldsAnswer {
  const asItStands = tryToParse(block);
  if ("fields" in asItStands) return asItStands;
  const quoted = tryToParse(quoteValues(block));
  return "fields" in quoted ? quoted : asItStands;
}

function tryToParse(block: string): FieldsAnswer {
  try {
    return parse(block);
  } catch (error) {
    // An alias that is undefined, or expands to too much.
    return { problem: error instanceof Error ? error.message : String(error), line: 1, column: 1 };
  }
}

function parse(block: string): FieldsAnswer {
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
