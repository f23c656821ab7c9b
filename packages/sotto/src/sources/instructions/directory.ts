// The rules of one directory.

import type { Document, Look } from "./cache.ts";
import { isBlank } from "./content.ts";
import { readFrontmatter } from "../frontmatter.ts";
import { type Expansion, expandImports, freshAllowance } from "./imports.ts";
import { createBreather, inLanes } from "../files/lanes.ts";
import type { Layout } from "./layout.ts";
import { directoriesDown, parentOf } from "../../platform/paths-of-memory.ts";
import { compilePatterns, type Patterns } from "../gitignore.ts";
import { EMPTY } from "./reasons.ts";
import { findRules, type RuleFile } from "./rule-files.ts";
import type { MemoryKind, MemoryProblem, SkippedMemory } from "./types.ts";
import { foreigners, importOptions, openMemory, reachOf, type UnitContext } from "./unit.ts";

export interface Rule {
  path: string;
  expansion: Expansion;
  /** Undefined: it holds everywhere. */
  patterns?: Patterns;
}

export interface RulesUnit {
  look: Look;
  layout: Layout;
  /** What the patterns are relative to, as given and in reality. */
  base: string;
  realBase: string;
  rules: Rule[];
  skipped: SkippedMemory[];
  problems: MemoryProblem[];
}

// All of them are tried on every path.
const MAX_GLOBS = 20_000;

export interface RulesWanted {
  /** Rules directories. */
  directories: readonly string[];
  kind: MemoryKind;
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
  const breathe = createBreather();
  const opened = await inLanes(found, async (file) => {
    const open = await openToOthers(file, wanted, look, context);
    if (open !== undefined) {
      unit.problems.push({ path: file.path, problem: open });
      return open;
    }
    const document = await openMemory(file, look, { isForeign, reach });
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

/** Why a rule of the system's own place is not taken: somebody else than its owner could have written it. */
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

// As long as its content stays the same, so does what was read from it.
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
