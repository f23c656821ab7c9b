// The rules of one directory.

import { directoriesDown, isWithin, joined, parentOf } from "../../platform/paths.ts";
import { createYielder, mapTwoAtOnce } from "../files/io-limit.ts";
import { readFrontmatter } from "../frontmatter.ts";
import { compilePatterns, type Patterns } from "../path-patterns.ts";
import type { Document, Look } from "./cache.ts";
import { type Entry, type Expansion, expandImports, freshAllowance, isBlank } from "./imports.ts";
import {
  foreigners,
  importOptions,
  type Layout,
  reachOf,
  readInstructionFile,
  type UnitContext,
  type Worktree,
  worktreeAt,
} from "./layout.ts";
import { EMPTY, TRACKED } from "./reasons.ts";
import {
  type InstructionKind,
  type InstructionProblem,
  isLocal,
  type MemoryFiles,
  type MemoryReach,
  type Signature,
  type SkippedMemory,
} from "./types.ts";

export interface Rule {
  path: string;
  expansion: Expansion;
  /** Undefined: it holds everywhere. */
  patterns?: Patterns;
}

export interface RulesUnit {
  look: Look;
  layout: Layout;
  /** The base of the patterns, as given and its real path. */
  base: string;
  realBase: string;
  rules: Rule[];
  skipped: SkippedMemory[];
  problems: InstructionProblem[];
}

// All of them are matched against every path.
const MAX_GLOBS = 20_000;

export interface RulesWanted {
  /** Rules directories. */
  directories: readonly string[];
  kind: InstructionKind;
  base: string;
}

export async function loadRules(wanted: RulesWanted, context: UnitContext): Promise<RulesUnit> {
  const { options, cache, layout } = context;
  const { base, kind } = wanted;
  const look = cache.look();
  const unit: RulesUnit = { look, layout, base, realBase: base, rules: [], skipped: [], problems: [] };
  const isForeign = await foreigners(kind === "project" ? base : undefined, look, context);
  const reach = reachOf({ kind, directory: base }, context);
  const found = [];
  for (const directory of wanted.directories) {
    const rules = await findRules({ directory, reach }, look, options.files);
    found.push(...rules.found);
    unit.skipped.push(...rules.skipped);
  }
  if (found.length === 0) return unit;
  await look.signatures([base], "presence");
  unit.realBase = (await options.files.realPath(base)) ?? base;
  const breathe = createYielder();
  const opened = await mapTwoAtOnce(found, async (file) => {
    const open = await openToOthers(file, wanted, look, context);
    if (open !== undefined) {
      unit.problems.push({ path: file.path, problem: open });
      return open;
    }
    const document = await readInstructionFile(file, look, { isForeign, reach });
    await breathe();
    return typeof document === "string"
      ? document
      : { document, ...(await ruleOf(document, file.path, context)) };
  });
  const allowance = freshAllowance();
  let globs = 0;
  for (const [index, { path }] of found.entries()) {
    const rule = opened[index] as string | ({ document: Document } & ReadRule);
    if (typeof rule === "string") {
      unit.skipped.push({ path, reason: rule });
      continue;
    }
    const { document, body, patterns, problems } = rule;
    if (kind === "project" && layout.isUsers(document.realPath)) continue;
    for (const problem of problems) unit.problems.push({ path, problem });
    globs += patterns?.globs.length ?? 0;
    if (isBlank(body) || globs > MAX_GLOBS) {
      unit.skipped.push({
        path,
        reason: globs > MAX_GLOBS ? `more than ${MAX_GLOBS} patterns in all` : EMPTY,
      });
      continue;
    }
    await breathe();
    const root = { path, document, body };
    const expansion = await expandImports(root, importOptions(look, kind, allowance, context));
    unit.rules.push({ path, expansion, ...(patterns && { patterns }) });
  }
  return unit;
}

const WRITABLE_BY_OTHERS = 0o022;

/** Why a managed rule is ignored: someone other than its owner could have written it. */
async function openToOthers(
  { path, seen }: RuleFile,
  { kind, directories }: RulesWanted,
  look: Look,
  { options: { managedOwner } }: UnitContext,
): Promise<string | undefined> {
  const [top] = directories;
  if (kind !== "managed" || managedOwner === undefined || top === undefined) return undefined;
  const above = [top, ...directoriesDown(top, parentOf(path))];
  const places = [path, ...above];
  const signatures = [seen, ...(await look.signatures(above))];
  const open = places.find((_, index) => {
    const { uid, mode } = signatures[index] ?? { uid: -1, mode: 0 };
    return uid !== managedOwner || (mode & WRITABLE_BY_OTHERS) !== 0;
  });
  if (open === undefined) return undefined;
  const whose = managedOwner === 0 ? "root" : `user ${managedOwner}`;
  const which = open === path ? "it" : open;
  return `is not taken: others than ${whose} can write ${which}; mend it with \`chown ${managedOwner} "${open}" && chmod go-w "${open}"\` as root`;
}

interface ReadRule {
  body: string;
  patterns?: Patterns;
  problems: string[];
}

// What was parsed from a content is kept with it.
const readRules = new WeakMap<Document, Promise<ReadRule>>();

function ruleOf(document: Document, path: string, { options }: UnitContext): Promise<ReadRule> {
  const known = readRules.get(document);
  if (known !== undefined) return known;
  const read = readFrontmatter(document.text, { path, work: options.work }).then((frontmatter): ReadRule => {
    const { body, problem } = frontmatter;
    const patterns = frontmatter.patterns && compilePatterns(frontmatter.patterns);
    const problems = [...(problem === undefined ? [] : [problem]), ...(patterns?.problems ?? [])];
    return { body, problems, ...(patterns && { patterns }) };
  });
  readRules.set(document, read);
  return read;
}

// The instruction files of one directory, or the user's own.

export interface FilesUnit {
  look: Look;
  layout: Layout;
  project: Expansion[];
  local: Expansion[];
  skipped: SkippedMemory[];
  worktree?: Worktree;
}

export interface FilesWanted {
  paths: readonly string[];
  /** Whose files these are; `*.local.md` are local. */
  kind: "user" | "project";
  /** The directory they are in, if there is one. */
  directory?: string;
}

export async function loadFiles(wanted: FilesWanted, context: UnitContext): Promise<FilesUnit> {
  const { cache, layout } = context;
  const look = cache.look();
  const unit: FilesUnit = { look, layout, project: [], local: [], skipped: [] };
  const { directory, paths, kind } = wanted;
  const mark = directory === undefined ? [] : [joined(directory, ".git")];
  const [git] = await look.signatures(mark, "presence");
  const worktree = directory === undefined ? undefined : await worktreeAt(directory, look, git);
  if (worktree !== undefined) unit.worktree = worktree;
  const isForeign = await foreigners(directory, look, context);
  const reach = reachOf({ kind, directory }, context);
  const signatures = await look.signatures(paths);
  const there = paths.flatMap((path, index) => {
    const seen = signatures[index];
    return seen === undefined ? [] : [{ path, seen }];
  });
  const opened = await mapTwoAtOnce(there, (file) => readInstructionFile(file, look, { isForeign, reach }));
  const allowance = freshAllowance();
  const texts = new Map<string, string>();
  for (const [index, { path }] of there.entries()) {
    const document = opened[index] as Document | string;
    if (typeof document === "string") unit.skipped.push({ path, reason: document });
    else if (isBlank(document.text)) unit.skipped.push({ path, reason: EMPTY });
    else if (kind === "project" && layout.isUsers(document.realPath)) continue;
    else {
      const text = document.text.trim();
      const same = texts.get(text);
      if (same !== undefined) unit.skipped.push({ path, reason: `has the same content as ${same}` });
      else {
        texts.set(text, path);
        const root = { path, document, body: document.text };
        const expansion = await expandImports(root, importOptions(look, kind, allowance, context));
        if (isLocal(path)) await addLocal(expansion, unit, context);
        else unit.project.push(expansion);
      }
    }
  }
  return unit;
}

/** A private file that git tracks came with the project: it is a project file. So is what a private one imports of it. */
async function addLocal(expansion: Expansion, unit: FilesUnit, { options }: UnitContext): Promise<void> {
  const tracked = await trackedIn(expansion, unit.look, options.files);
  const entries = expansion.entries.map((entry) =>
    tracked.has(entry.path) ? { ...entry, kind: "project" as const } : entry,
  );
  const [{ path }] = entries as [Entry];
  if (!tracked.has(path)) unit.local.push({ ...expansion, entries });
  else if (options.projectSettings) unit.project.push({ ...expansion, entries });
  else unit.skipped.push({ path, reason: TRACKED });
}

/** All of them if it is unknown now. */
async function trackedIn(
  { entries }: Expansion,
  look: Look,
  files: MemoryFiles,
): Promise<ReadonlySet<string>> {
  const [{ path }] = entries as [Entry];
  const found = await files.gitIndex(parentOf(path));
  const { index, looked = [] } = found ?? {};
  await look.signatures(looked, "presence");
  if (found !== undefined && index === undefined) return new Set();
  // Before it is read, so that no change is missed.
  await look.signatures(index === undefined ? [] : [index.path]);
  const isInside = ({ realPath }: Entry) => isWithin(index?.root ?? "/", realPath);
  const paths = [path, ...entries.filter(isInside).map((entry) => entry.path)];
  const tracked = found === undefined ? undefined : await files.tracked(paths);
  if (tracked === undefined) look.doubt();
  return tracked ?? new Set(paths);
}

// The rules below a rules directory: every `.md` file, following links, bounded.

export interface RuleFile {
  path: string;
  seen: Signature;
}

// A rules directory is written by hand: more than this is a mistake.
const MAX_RULES = 1000;
const MAX_DIRECTORIES = 200;
const MAX_DEPTH = 8;
const MAX_NAMES = 5000;
/** Probably meant as a rule. */
const ALMOST = /\.(?:mdc|mdx|markdown|md)$/iu;

export interface RuleFiles {
  found: RuleFile[];
  skipped: SkippedMemory[];
}

export async function findRules(
  { directory, reach }: { directory: string; reach?: MemoryReach },
  look: Look,
  files: MemoryFiles,
): Promise<RuleFiles> {
  const found: RuleFile[] = [];
  const skipped: SkippedMemory[] = [];
  const walked = new Set<string>();

  const walk = async (at: string, seen: Signature | undefined, depth: number): Promise<void> => {
    if (seen?.kind !== "directory") return;
    // Links can lead back up.
    const identity = `${seen.dev}:${seen.ino}`;
    if (walked.has(identity)) return;
    walked.add(identity);
    if (depth > MAX_DEPTH || walked.size > MAX_DIRECTORIES) {
      skipped.push({ path: at, reason: `too many or too deep directories in ${directory}` });
      return;
    }
    const listed = await files.list(at, reach);
    if (typeof listed === "string") {
      look.doubt();
      skipped.push({ path: at, reason: listed });
      return;
    }
    for (const { name, kind } of listed)
      if (kind === "file" && ALMOST.test(name) && !name.endsWith(".md"))
        skipped.push({ path: joined(at, name), reason: "is not a rule: their names end with .md" });
    const names = listed
      .filter(({ name, kind }) => (kind === "other" || kind === "file" ? name.endsWith(".md") : true))
      .map(({ name }) => name)
      .sort();
    const paths = names.slice(0, MAX_NAMES).map((name) => joined(at, name));
    const signatures = await look.signatures(paths);
    for (const [index, path] of paths.entries()) {
      const one = signatures[index];
      if (one?.kind === "directory") await walk(path, one, depth + 1);
      else if (!path.endsWith(".md")) continue;
      else if (one === undefined) skipped.push({ path, reason: "is a link that leads nowhere" });
      else if (one.kind === "other") skipped.push({ path, reason: "is not a regular file" });
      else if (found.length >= MAX_RULES) {
        skipped.push({ path, reason: `more than ${MAX_RULES} rules in ${directory}: the rest is ignored` });
        return;
      } else found.push({ path, seen: one });
    }
  };

  const [seen] = await look.signatures([directory]);
  await walk(directory, seen, 0);
  found.sort((one, other) => (one.path < other.path ? -1 : 1));
  return { found, skipped };
}
