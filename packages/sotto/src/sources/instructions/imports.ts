// An instruction file with everything it imports: depth first, each file once, nothing from outside the project
// unless allowed.

import { absolutePath, isWithin, parentOf } from "../../platform/paths.ts";
import { cutText, type TextLimits } from "../cut-text.ts";
import { LONGEST, pathEnd, unescapeSpaces, withoutTrailing } from "../path-in-text.ts";
import type { Document, Look } from "./cache.ts";
import { EMPTY, MISSING } from "./reasons.ts";
import { runningText } from "./running-text.ts";
import type { SkippedMemory } from "./types.ts";

export interface Entry {
  path: string;
  realPath: string;
  hash: string;
  content: string;
  truncated?: true;
  importedBy?: string;
  /** If it is not that of the file that imports it. */
  kind?: "project";
}

/** A file and its imports, in order; and what was not imported, and why. */
export interface Expansion {
  entries: readonly Entry[];
  skipped: readonly SkippedMemory[];
}

export interface Root {
  path: string;
  document: Document;
  /** What is shown of it: for a rule without its frontmatter. */
  body: string;
}

/** How much may still be imported, for all roots of a directory together. */
export interface Allowance {
  files: number;
  characters: number;
  /** Paths tried, existing or not. */
  attempts: number;
}

export interface ImportOptions {
  look: Look;
  /** As given and its real path: imports inside are allowed. */
  project: readonly string[];
  home: string;
  allowExternal: boolean;
  /** The maximum depth of imports. */
  depth: number;
  shown?: TextLimits | undefined;
  allowance: Allowance;
}

const OUTSIDE = "outside the project (only the user's own files, or allow_external_imports, reach there):";

export function freshAllowance(): Allowance {
  return { files: 200, characters: 1_000_000, attempts: 500 };
}

export async function expandImports(root: Root, options: ImportOptions): Promise<Expansion> {
  const { look, allowance } = options;
  const entries: Entry[] = [];
  const skipped: SkippedMemory[] = [];
  const tooDeep: SkippedMemory[] = [];
  // By real path, the smallest depth it was found at.
  const met = new Map<string, number>();
  let isFull = false;

  const follow = async (file: Root, depth: number, importedBy?: string): Promise<void> => {
    const { path, document, body } = file;
    const { realPath, hash } = document;
    const { text, ...shown } = shownContent(path, document, body, options.shown);
    if (!met.has(realPath))
      entries.push({ path, realPath, hash, ...shown, ...(importedBy && { importedBy }) });
    met.set(realPath, depth);
    for (const written of importsIn(text)) {
      const places = placesOf(written, file, options.home);
      const by = `(imported by ${path})`;
      if (depth + 1 >= options.depth) {
        tooDeep.push({ path: places.named, reason: `at depth ${options.depth}, where imports end ${by}` });
        continue;
      }
      if (allowance.files <= 0 || allowance.characters <= 0 || allowance.attempts <= 0) {
        if (!isFull)
          skipped.push({
            path: places.named,
            reason: `too much is imported here: this and the rest is ignored ${by}`,
          });
        isFull = true;
        return;
      }
      const found = await find(places);
      if ("why" in found) {
        skipped.push({ path: found.path, reason: `${found.why} ${by}` });
        continue;
      }
      const before = met.get(found.document.realPath);
      if (before === undefined) {
        allowance.files--;
        allowance.characters -= found.body.length;
      }
      // A file that was cut off for its depth can still be imported on a shorter way.
      if (before === undefined || before > depth + 1) await follow(found, depth + 1, path);
      else skipped.push({ path: found.path, reason: `loaded already ${by}` });
    }
  };

  const reach = options.allowExternal ? "anywhere" : undefined;
  const isAllowed = (path: string) =>
    options.allowExternal || options.project.some((directory) => isWithin(directory, path));
  const find = async ({ named, all }: Places): Promise<Root | { path: string; why: string }> => {
    // Others are not even checked, as that alone can have effects on an automounted path.
    const inside = all.filter(isAllowed);
    let failed = {
      path: named,
      why: inside.length === 0 ? `${OUTSIDE} ${options.project[0]}` : MISSING,
    };
    for (const path of inside) {
      allowance.attempts--;
      const [seen] = await look.signatures([path]);
      if (seen === undefined) continue;
      const document = seen.kind === "file" ? await look.read(path, seen, reach) : undefined;
      if (document?.kind === "text") {
        if (!isAllowed(document.realPath))
          failed = { path, why: `a link to ${OUTSIDE} ${options.project[0]}` };
        else if (isBlank(document.text)) failed = { path, why: EMPTY };
        else return { path, document, body: document.text };
      } else if (document === undefined)
        failed = { path, why: seen.kind === "directory" ? "is a directory" : "is not a regular file" };
      else if (document.kind !== "missing") failed = { path, why: document.why };
    }
    return failed;
  };

  await follow(root, 0);
  const loaded = new Set(entries.map(({ path }) => path));
  skipped.push(...tooDeep.filter(({ path }) => !loaded.has(path)));
  return { entries, skipped };
}

interface Places {
  /** Its name in messages if nothing is found. */
  named: string;
  all: readonly string[];
}

/** Where an import may lead, most likely first. */
function placesOf(written: string, { path, document }: Root, home: string): Places {
  const [usual = written, ...others] = pathsIn(written);
  const names = [usual, ...withoutFragments(usual), ...others].map(unescapeSpaces);
  const place = (name: string, base: string) =>
    absolutePath(name.startsWith("~/") ? `${home}/${name.slice(2)}` : name, base);
  const bases = [parentOf(path), parentOf(document.realPath)];
  const all = new Set(names.flatMap((name) => bases.map((base) => place(name, base))));
  return { named: place(names[0] as string, bases[0] as string), all: [...all] };
}

const MOST_FRAGMENTS = 3;

/** `a#b` may be a name; otherwise the fragment is dropped, the last one first. */
function withoutFragments(name: string): string[] {
  const found: string[] = [];
  for (let rest = name; found.length < MOST_FRAGMENTS; ) {
    const hash = rest.lastIndexOf("#");
    if (hash <= 0) break;
    rest = rest.slice(0, hash);
    found.push(rest);
  }
  return found;
}

// The `@path` imports of an instruction file: in running text, not in code or comments.

const TOKEN = /(?<=^|\s)@((?:\\ |\S)+)/gu;
const URL_LIKE = /^[a-z][a-z0-9+.-]*:\/\//iu;

/** What is imported, as written, in order, each once. */
export function importsIn(text: string): string[] {
  const found = new Set<string>();
  if (!text.includes("@")) return [];
  for (const block of runningText(text)) {
    for (const [, written = ""] of block.matchAll(TOKEN)) {
      // Punctuation alone names nothing.
      if (/[\p{L}\p{N}]/u.test(written) && !URL_LIKE.test(written) && pathsIn(written).length > 0)
        found.add(written);
    }
  }
  return [...found];
}

/** The paths it may mean, likely ones first: at last, as there are no quotes here, those with full-width punctuation. */
function pathsIn(written: string): string[] {
  const usual = written.slice(0, pathEnd(written, 0));
  const [paths, longer] = [usual, written].map((text) =>
    text === "" || text.length > LONGEST ? [] : withoutTrailing(text),
  ) as [string[], string[]];
  return paths.length === 0 ? [] : [...paths, ...longer];
}

// What is shown of an instruction file: its text, cut with a pointer to the rest if it is too long.

export interface Shown {
  /** Of the file itself. */
  text: string;
  /** Including the pointer to the rest. */
  content: string;
  truncated?: true;
}

/** `body` is the document's text, or the end of it. */
export function shownContent(
  path: string,
  { text, cut }: Document,
  body: string,
  limits?: TextLimits,
): Shown {
  const { text: shown, truncated, shownLines } = cutText(body, limits);
  if (!truncated && !cut) return { text: body, content: body };
  const before = text.slice(0, text.length - body.length).split("\n").length - 1;
  return {
    text: shown,
    content: `${shown.trimEnd()}\n\n[${path} goes on; what follows from line ${before + shownLines + 1} is not shown here.]`,
    truncated: true,
  };
}

/** Contains only white space and comments. */
export function isBlank(text: string): boolean {
  let rest = text.trimStart();
  while (rest.startsWith("<!--")) {
    const end = rest.indexOf("-->");
    if (end === -1) return false;
    rest = rest.slice(end + 3).trimStart();
  }
  return rest === "";
}
