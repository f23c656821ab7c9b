// Names, keys and owners as Postgres can hold them. Its texts have no NUL and no half of a surrogate pair, and an index
// no long values. Log entries need nothing of this: JSON escapes both.

import { sha256 } from "../../platform/sha256.ts";

/** Begins every text that is not stored as it is; one that happens to begin so is escaped as well. */
const MARK = "\u0001";
/** In UTF-16 units: at most three bytes each, and an index takes 2,704. */
const LONGEST_KEY = 500;

/** For a text that is read back with `readText`. */
export function storedText(text: string): string {
  return isPlain(text) ? text : MARK + JSON.stringify(text);
}

export function readText(stored: string): string {
  return stored.startsWith(MARK) ? (JSON.parse(stored.slice(MARK.length)) as string) : stored;
}

/** For a text that is only compared: two different ones stay different. */
export function storedKey(text: string): string {
  if (text.length <= LONGEST_KEY && isPlain(text)) return text;
  return `${MARK}sha256:${sha256(JSON.stringify(text))}`;
}

/** The name of a session by its key and the name beside it. Undefined if they do not belong together. */
export function nameOf(key: string, name: string | null): string | undefined {
  try {
    const text = readText(name ?? key);
    return storedKey(text) === key ? text : undefined;
  } catch {
    return undefined;
  }
}

function isPlain(text: string): boolean {
  return !text.startsWith(MARK) && !text.includes("\0") && text.isWellFormed();
}
