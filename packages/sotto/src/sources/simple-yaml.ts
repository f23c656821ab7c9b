// The usual forms of frontmatter, read in one pass without a YAML parser; whatever else stands there is left to it.

import { meantKey, type PathsAnswer } from "./paths-value.ts";

interface Scalar {
  text: string;
  /** It is no YAML unless it is put in quotes. */
  needsQuotes: boolean;
}

const KEY = /^([A-Za-z_][A-Za-z0-9_-]*):(?: +(\S.*))?$/u;
const ITEM = /^( *)- +(\S.*)$/u;
const IN_QUOTES = /^(?:"([^"\\]*)"|'([^']*)')$/u;
/** Nothing in it means anything to YAML. */
const PLAIN = /^[^\s\-?:,[\]{}#&*!|>'"%@`](?!.*(?:: | #|:$))/u;
/** `*.ts` would be an alias and `!x` a tag: nobody means that here. */
const ALMOST_PLAIN = /^(?:\*\S|![^\s!<])(?!.*(?:: | #|:$))/u;
/** Texts that YAML takes for something else. */
const NO_TEXT = /^(?:~|null|true|false|[-+.]?\d.*|[-+]?\.(?:inf|nan))$/iu;
/** Control characters, and `&`: an anchor would give an alias its meaning. */
const NOT_SIMPLE = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff&]/u;

/** Undefined where a YAML parser must look. */
export function simplePaths(written: string): PathsAnswer | undefined {
  const block = written.replaceAll("\r\n", "\n");
  if (NOT_SIMPLE.test(block)) return undefined;
  const found = new Map<string, string | string[] | null>();
  let quoted = false;
  let key = "";
  let indent: string | undefined;
  const take = (scalar: Scalar | undefined): scalar is Scalar => {
    quoted ||= scalar?.needsQuotes === true;
    return scalar !== undefined;
  };
  for (const raw of block.split("\n")) {
    const line = raw.trimEnd();
    if (line === "" || line.startsWith("#")) continue;
    const item = ITEM.exec(line);
    if (item !== null) {
      const before = found.get(key);
      const one = scalarOf(item[2] as string, key);
      if ((before !== null && indent === undefined) || (indent ?? item[1]) !== item[1] || !take(one))
        return undefined;
      indent = item[1];
      if (before === null) found.set(key, [one.text]);
      else (before as string[]).push(one.text);
      continue;
    }
    const [, name, value] = KEY.exec(line) ?? [];
    if (name === undefined || found.has(name)) return undefined;
    key = name;
    indent = undefined;
    if (value === undefined) found.set(key, null);
    else if (value.startsWith("[")) {
      const items = flowItems(value, key);
      if (items === undefined || !items.every(take)) return undefined;
      found.set(
        key,
        items.map(({ text }) => text),
      );
    } else {
      const one = scalarOf(value, key);
      if (!take(one)) return undefined;
      found.set(key, one.text);
    }
  }
  const value = found.get("paths") ?? found.get("globs") ?? found.get("paths");
  return {
    ...(value === undefined ? meantKey(found.keys()) : { value }),
    ...(quoted ? { quoted } : {}),
  };
}

function scalarOf(written: string, key: string): Scalar | undefined {
  const inQuotes = IN_QUOTES.exec(written);
  if (inQuotes !== null) return { text: inQuotes[1] ?? inQuotes[2] ?? "", needsQuotes: false };
  if ((key === "paths" || key === "globs") && NO_TEXT.test(written)) return undefined;
  if (PLAIN.test(written)) return { text: written, needsQuotes: false };
  return ALMOST_PLAIN.test(written) ? { text: written, needsQuotes: true } : undefined;
}

/** `[a, "b"]` on one line. */
function flowItems(written: string, key: string): (Scalar | undefined)[] | undefined {
  if (!/^\[[^[\]{}]*\]$/u.test(written)) return undefined;
  const inside = written.slice(1, -1).trim();
  if (inside === "") return [];
  // A comma inside quotes, or one too many, is not a simple case.
  const parts = inside.split(",").map((part) => part.trim());
  return parts.includes("") ? undefined : parts.map((part) => scalarOf(part, key));
}
