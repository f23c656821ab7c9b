// The files that a search showed: lines such as `src/a.ts:12: text`, and lines that are a path.

import { placed } from "../platform/shell/command-effects.ts";

// More than an agent reads of one search.
const MOST_CHARACTERS = 200_000;
const MOST_HITS = 100;
const DEEPEST = 6;
const LONGEST_PATH = 1000;
const MATCH = /^(?<path>[^\s:"'<>|*?][^:"'<>|*?\t]*):\d+(?::\d+)?[:\s]/u;
// As a heading above its matches, too.
const ALONE = /^(?:File:[ ]+)?(?<path>[^\s:"'<>|*?`(){};,=]+(?: [^\s:"'<>|*?`(){};,=]+)*):?$/u;
const NAMES_A_FILE = /\/[^/]*[^/.][^/]*$|[^/.]\.\w{1,12}$/u;

/**
 * `output`: a text, or anything that has texts in it. Some tools show paths from the directory that they searched, so that both
 * readings of a path count.
 */
export function searchHits(output: unknown, directory?: string): string[] {
  const hits = new Set<string>();
  const base = plain(directory ?? ".").replace(/\/+$/u, "");
  let left = MOST_CHARACTERS;
  const read = (text: string) => {
    for (const line of text.slice(0, left).split(/\r?\n/u)) {
      if (hits.size >= MOST_HITS) return;
      const path = pathIn(line);
      if (path === undefined) continue;
      hits.add(path);
      if (base !== "." && !path.startsWith(`${base}/`)) hits.add(placed(path, base));
    }
    left -= text.length;
  };
  const look = (value: unknown, depth: number): void => {
    if (left <= 0 || hits.size >= MOST_HITS || depth > DEEPEST) return;
    if (typeof value === "string") read(value);
    else if (typeof value === "object" && value !== null)
      for (const one of Object.values(value)) look(one, depth + 1);
  };
  look(output, 0);
  return [...hits];
}

function pathIn(line: string): string | undefined {
  const text = line.slice(0, LONGEST_PATH).trim();
  const matched = MATCH.exec(text)?.groups?.path;
  if (matched !== undefined) return /\p{L}/u.test(matched) ? plain(matched) : undefined;
  const alone = line.length > LONGEST_PATH ? undefined : ALONE.exec(text)?.groups?.path;
  return alone !== undefined && NAMES_A_FILE.test(alone) && !alone.includes("://") ? plain(alone) : undefined;
}

function plain(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
