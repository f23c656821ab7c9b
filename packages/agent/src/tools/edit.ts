// Edit: replaces a passage of a file.

import { z } from "zod";
import { neutralise } from "../untrusted-text.ts";
import { cutMiddle } from "./excerpt.ts";
import { displayPath, locateForWriting, readWhole, requireRead, writeText } from "./files/access.ts";
import { folded, keepSpelling, spellingsIn } from "./files/keep-spelling.ts";
import { passagesShownAs, sitesIn, wholePassage } from "./files/shown-text.ts";
import { decodeExactly, encode, type TextForm, textForm } from "./files/text-encoding.ts";
import { defineTool } from "./tool.ts";

const LARGEST = 16 * 1024 * 1024;
const MOST_DETAIL = 4000;
const LINES_AROUND = 3;
const MOST_SHOWN = 40;

const input = z.strictObject({
  file_path: z.string().min(1).describe("Absolute, or relative to the working directory"),
  old_string: z.string().describe("The text to replace, exactly as in the file, without line numbers"),
  new_string: z.string().describe("The new text"),
  replace_all: z.boolean().optional().describe("Replace all occurrences"),
});
type Input = z.infer<typeof input>;

export const edit = defineTool<Input>({
  name: "Edit",
  description:
    "Replaces a passage of a file that you have read. old_string must occur exactly once, unless replace_all is set; include enough context to make it unique.",
  input,
  kind: "write",
  title: ({ file_path }) => `Edit ${file_path}`,
  permission({ old_string, new_string }) {
    const lines = (text: string, mark: string) => text.split("\n").map((line) => `${mark} ${line}`);
    const change = [...lines(old_string, "-"), ...lines(new_string, "+")].join("\n");
    return { detail: cutMiddle(change, MOST_DETAIL) };
  },
  async run({ file_path, old_string, new_string, replace_all = false }, context) {
    if (old_string === "") throw new Error("old_string is empty: use Write for a new file");
    if (old_string === new_string) throw new Error("old_string and new_string are the same");
    const place = await locateForWriting(file_path, context);
    const before = await readWhole(place, LARGEST);
    await requireRead(context.session, place);
    const { text, form } = decode(before, place.path);
    const replaced = replaceText(text, { old: old_string, new: new_string, all: replace_all });
    if (replaced.kind !== "replaced") throw new Error(problemWords(place.path, replaced, old_string));
    const content = replaced.text;
    const besides = await writeText({ place, bytes: encode(content, form), content, before }, context);
    const { count, line } = replaced;
    const what = count === 1 ? `line ${line}` : `${count} occurrences`;
    const excerpt = count === 1 ? `\n${around(content, line, new_string)}` : "";
    return {
      text: `Edited ${displayPath(place.path, context.cwd)}, ${what}.${besides}${excerpt}`,
      summary: what,
      paths: [place.path],
    };
  },
});

function decode(bytes: Buffer, path: string): { text: string; form: TextForm } {
  const form = textForm(bytes);
  if (form === undefined) throw new Error(`${path} is binary: it cannot be edited as text`);
  try {
    return { text: decodeExactly(bytes, form), form };
  } catch {
    throw new Error(`${path} is not in UTF-8 or UTF-16: editing it would damage it`);
  }
}

function problemWords(path: string, replaced: Exclude<Replaced, { kind: "replaced" }>, old: string): string {
  if (replaced.kind === "ambiguous")
    return `old_string occurs ${replaced.count} times in ${path}: include more context, or set replace_all`;
  const numbered = /^\s*\d+\t/u.test(old) ? ", and leave out its line numbers" : "";
  return `old_string was not found in ${path}: Read the file again${numbered}`;
}

/** The changed lines with their numbers. */
function around(content: string, line: number, fresh: string): string {
  const lines = content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const from = Math.max(1, line - LINES_AROUND);
  const to = Math.min(lines.length, line + fresh.split("\n").length - 1 + LINES_AROUND);
  const numbered = lines
    .slice(from - 1, Math.min(to, from + MOST_SHOWN - 1))
    .map((text, index) => `${String(from + index).padStart(6)}\t${cutMiddle(text.replace(/\r$/u, ""), 500)}`);
  return numbered.join("\n");
}

// Replaces a passage and keeps the line endings, which the model never sees.

export type Replaced =
  | { kind: "replaced"; text: string; count: number /** Line of the first one, from 1. */; line: number }
  | { kind: "missing" }
  | { kind: "ambiguous"; count: number };

export interface Replacement {
  old: string;
  new: string;
  all: boolean;
}

/** Finds the passage as it was shown to the model; unchanged parts keep their original bytes. */
export function replaceText(text: string, replacement: Replacement): Replaced {
  const plain = withLineFeeds(text);
  const old = withLineFeeds(replacement.old);
  const sites = sitesIn(plain);
  const places = passagesShownAs(old, plain, sites);
  const [first] = places;
  if (first === undefined) return { kind: "missing" };
  if (places.length > 1 && !replacement.all) return { kind: "ambiguous", count: places.length };
  const line = plain.slice(0, first.start).split("\n").length;
  const ending = usualEnding(text);
  const fresh = withLineFeeds(replacement.new);
  const spellings = spellingsIn(plain, wholePassage(plain, sites));
  const parts: string[] = [];
  const original = createOriginal(text);
  let done = 0;
  for (const place of places) {
    const start = original(place.start);
    parts.push(text.slice(done, start), keepSpelling(place, fresh, spellings).replaceAll("\n", ending));
    done = original(place.end);
  }
  parts.push(text.slice(done));
  return { kind: "replaced", text: parts.join(""), count: places.length, line };
}

/** Replaces the whole text; lines copied from what was shown get their original spelling back. */
export function rewriteText(text: string, fresh: string): string {
  const sites = sitesIn(text);
  if (sites.length === 0) return fresh;
  const whole = wholePassage(text, sites);
  // A line can be shown in two ways, alone or within the file: recognise both.
  const shown = new Map<string, string>();
  const lines = whole.shown.split("\n");
  for (const view of [neutralise(text).split("\n"), text.split("\n").map(neutralise)])
    if (view.length === lines.length)
      for (const [index, line] of lines.entries()) shown.set(folded(view[index] ?? ""), line);
  const taken = fresh.split("\n").map((line) => shown.get(folded(line)) ?? line);
  return keepSpelling(whole, taken.join("\n"), spellingsIn(text, whole));
}

function withLineFeeds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function usualEnding(text: string): string {
  const all = text.split("\n").length - 1;
  const pairs = text.split("\r\n").length - 1;
  return pairs * 2 > all ? "\r\n" : "\n";
}

/** Maps offsets of the text with plain line feeds to the original; call in ascending order. */
function createOriginal(text: string): (place: number) => number {
  let pairs = 0;
  let next = text.indexOf("\r\n");
  return (place) => {
    while (next >= 0 && next - pairs < place) {
      pairs += 1;
      next = text.indexOf("\r\n", next + 2);
    }
    return place + pairs;
  };
}
