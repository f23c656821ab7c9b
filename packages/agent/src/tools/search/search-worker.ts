// The search, in a worker thread: a pattern that takes exponential time ends with the thread.

import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { compileGlob, expandBraces, type Glob, matchGlobs, namesOf } from "sotto/internal/patterns";
import { globSync } from "tinyglobby";
import { readRegularSync, UnsuitableFile } from "../../regular-file.ts";
import { createReadRules } from "../files/denied.ts";
import { textForm } from "../files/text-encoding.ts";
import { createIgnoreRules, type IgnoreRules } from "./ignore-rules.ts";
import { matchText, toExpression } from "./match-text.ts";
import type { GrepQuestion, SearchJob, SearchMessage } from "./run-search.ts";

// Larger files are skipped.
const LARGEST = 16 * 1024 * 1024;
// Enough to find the newest.
const MOST_STATED = 50_000;
const MOST_ALTERNATIVES = 1000;
// The thread has a time limit.
const UNLIMITED = { steps: Number.POSITIVE_INFINITY };

const say = (message: SearchMessage) => parentPort?.postMessage(message);

const job = workerData as SearchJob;
say({ kind: "started" });
const isRuledOut = createReadRules(job.denial);
const isDenied = (path: string) => isRuledOut(join(job.named, path.slice(job.root.length)));
if (job.kind === "glob") glob(job);
else grep(job.root, job.question);

function glob({ root, pattern, most }: Extract<SearchJob, { kind: "glob" }>): void {
  const rules = createIgnoreRules(root);
  const readdirUnignored = (path: string, options: { withFileTypes: true }) =>
    readdirSync(path, options).filter(
      (entry) => entry.name !== ".git" && !rules.isIgnored(join(path, entry.name), entry.isDirectory()),
    );
  const found = globSync(pattern, {
    cwd: root,
    absolute: true,
    dot: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    fs: { readdirSync: readdirUnignored as typeof readdirSync },
  });
  const shown = found.filter((path) => !isDenied(path));
  const dated = shown.slice(0, MOST_STATED).map((path) => ({ path, time: timeOf(path) }));
  dated.sort((one, other) => other.time - one.time || (one.path < other.path ? -1 : 1));
  const paths: string[] = [];
  for (const { path } of dated) {
    if (paths.length >= most) break;
    if (isBelow(path, root)) paths.push(path);
  }
  say({ kind: "paths", paths, total: shown.length });
}

function grep(root: string, question: GrepQuestion): void {
  let expression: RegExp;
  let only: Glob[] | undefined;
  try {
    expression = toExpression(question);
    only = question.glob === undefined ? undefined : globsOf(question.glob);
  } catch (error) {
    say({ kind: "wrong", problem: (error as Error).message });
    return;
  }
  for (const path of filesBelow(root)) {
    const way = relative(root, path).split(sep).join("/");
    if (only !== undefined && way !== "" && !matchGlobs(only, namesOf(way), UNLIMITED).matched) continue;
    if (isDenied(path)) continue;
    const text = textOf(path);
    if (text === undefined) continue;
    const found = matchText(text, expression, question);
    if (found.count > 0) say({ kind: "hits", hits: { path, ...found } });
  }
}

function* filesBelow(root: string): Generator<string> {
  if (!lstatSync(root).isDirectory()) return yield root;
  const rules = createIgnoreRules(root);
  yield* walk(root, rules);
}

/** Sorted by name. Links are not followed: they could lead out of the project or form a cycle. */
function* walk(directory: string, rules: IgnoreRules): Generator<string> {
  for (const entry of namesIn(directory)) {
    const path = join(directory, entry.name);
    const isDirectory = entry.isDirectory();
    if (entry.name === ".git" || !(isDirectory || entry.isFile()) || rules.isIgnored(path, isDirectory))
      continue;
    if (isDirectory) yield* walk(path, rules);
    else yield path;
  }
}

function namesIn(directory: string) {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** Returns undefined for binary files. */
function textOf(path: string): string | undefined {
  try {
    const bytes = readRegularSync(path, LARGEST);
    const form = textForm(bytes);
    return form === undefined ? undefined : new TextDecoder(form.encoding).decode(bytes);
  } catch (error) {
    if (error instanceof UnsuitableFile && error.isTooLarge)
      say({ kind: "skipped", path, why: "larger than 16 MB" });
    return undefined;
  }
}

function globsOf(pattern: string): Glob[] {
  const expanded = expandBraces(pattern, MOST_ALTERNATIVES, Number.POSITIVE_INFINITY);
  if (expanded === undefined) throw new Error(`the glob has more than ${MOST_ALTERNATIVES} alternatives`);
  return expanded.map((one) => compileGlob(one, one)).filter((glob): glob is Glob => glob !== undefined);
}

function timeOf(path: string): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

/** A pattern can match a link, which may lead anywhere. */
function isBelow(path: string, root: string): boolean {
  try {
    const real = realpathSync(path);
    return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
  } catch {
    return false;
  }
}
