// What a search found, as the model reads it.

import { cutMiddle } from "./excerpt.ts";
import type { FileHits } from "./search/messages.ts";

export const MODES = ["content", "files_with_matches", "count"] as const;

export interface GrepPage {
  found: readonly FileHits[];
  mode: (typeof MODES)[number];
  /** Entries shown. */
  most: number;
  numbers: boolean;
  name(path: string): string;
  notes: readonly string[];
}

const MOST_CHARACTERS = 30_000;

export function grepPage(page: GrepPage): string {
  const entries =
    page.mode === "content" ? contentLines(page) : page.found.map((hits) => fileLine(page, hits));
  const notes = page.notes.map((note) => `[${note}.]`);
  const text = entries.length === 0 ? "No matches found." : entries.slice(0, page.most).join("\n");
  return [cutMiddle(text, MOST_CHARACTERS), ...notes].join("\n");
}

function fileLine({ mode, name }: GrepPage, { path, count }: FileHits): string {
  return mode === "count" ? `${name(path)}:${count}` : name(path);
}

/** As grep prints them: a colon at a match, a dash around it, two dashes where lines are left out. */
function contentLines({ found, numbers, name }: GrepPage): string[] {
  const printed: string[] = [];
  for (const { path, lines } of found) {
    const hasSurroundings = lines.some(({ isMatch }) => !isMatch);
    let last: number | undefined;
    for (const { number, text, isMatch } of lines) {
      if (last !== undefined && number > last + 1 && hasSurroundings) printed.push("--");
      const mark = isMatch ? ":" : "-";
      printed.push(`${name(path)}${mark}${numbers ? `${number}${mark}` : ""}${text}`);
      last = number;
    }
  }
  return printed;
}
