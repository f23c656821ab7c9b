// The order of instructions. Pure: everything is already loaded.

import { namesOf } from "../../platform/gitignore.ts";
import { below } from "../../platform/paths.ts";
import { freshEffort, matchPatterns } from "../path-patterns.ts";
import type { Rule, RulesUnit } from "./directory.ts";
import type { Expansion } from "./imports.ts";
import { keyOf, type Worktree } from "./layout.ts";
import { type LoadedParts, type Touched, unitsOf } from "./plan.ts";
import { switchedOff, whyMatched, whyNot, whyWaiting } from "./reasons.ts";
import type {
  InstructionKind,
  InstructionProblem,
  InstructionsResult,
  LoadedInstructionFile,
  SkippedMemory,
} from "./types.ts";

interface Sink {
  load(expansion: Expansion, kind: InstructionKind, reason: string): void;
  /** Absent if nobody needs the skipped ones. */
  skip?: ((path: string, reason: string) => void) | undefined;
}

/** For a path in a reason: its end matters most. */
const LONGEST_NAME = 300;

export function nestedResult(parts: LoadedParts, touched: Touched): InstructionsResult {
  return result(parts, touched.path, (sink) => walkNested(parts, touched, sink));
}

export function sessionResult(parts: LoadedParts): InstructionsResult {
  return result(parts, parts.options.cwd, (sink) => walkSession(parts, sink));
}

function walkNested(parts: LoadedParts, touched: Touched, sink: Sink): void {
  const { cwd } = parts.options;
  const name = (below(cwd, touched.inside) ?? touched.path).slice(-LONGEST_NAME);
  const effort = freshEffort();
  const always = (rules: RulesUnit | undefined) => {
    for (const { path } of withoutPaths(rules)) sink.skip?.(path, "has no paths: it loads at session start");
  };
  const matching = (unit: RulesUnit | undefined, kind: InstructionKind) => {
    if (unit === undefined || unit.rules.length === 0) return;
    const seen = seenFrom(unit, touched);
    for (const { path, patterns, expansion } of unit.rules) {
      if (patterns === undefined) continue;
      const match = matchPatterns(patterns, seen.given, effort);
      if (match.matched) sink.load(expansion, kind, whyMatched(name, match));
      else {
        const other = seen.real === undefined ? match : matchPatterns(patterns, seen.real, effort);
        if (other.matched) sink.load(expansion, kind, whyMatched(`${name} (${touched.realPath})`, other));
        else sink.skip?.(path, whyNot(name, patterns, match));
      }
    }
  };
  matching(parts.managed, "managed");
  always(parts.managed);
  for (const rules of parts.user) {
    matching(rules, "user");
    always(rules);
  }
  for (const { directory, files, rules } of parts.nested) {
    const lies = `${name} lies in ${below(cwd, directory) ?? directory}/`;
    for (const one of files?.project ?? []) sink.load(one, "project", lies);
    for (const { expansion } of withoutPaths(rules)) sink.load(expansion, "project", lies);
    matching(rules, "project");
    for (const one of files?.local ?? []) sink.load(one, "local", lies);
  }
  for (const { rules } of parts.levels) {
    matching(rules, "project");
    always(rules);
  }
}

function walkSession({ options, managed, user, userFiles, levels }: LoadedParts, sink: Sink): void {
  const ruleSet = (rules: RulesUnit | undefined, kind: InstructionKind, reason: string) => {
    for (const { path, patterns, expansion } of rules?.rules ?? [])
      if (patterns === undefined) sink.load(expansion, kind, reason);
      else sink.skip?.(path, whyWaiting(patterns));
  };
  ruleSet(managed, "managed", "managed rule without paths");
  for (const one of userFiles?.project ?? [])
    sink.load(one, "user", "the user's instructions for all projects");
  for (const rules of user) ruleSet(rules, "user", "user rule without paths");
  for (const { directory, files, rules } of levels) {
    const holds =
      directory === options.cwd
        ? "in the working directory"
        : `in ${directory}, which holds the working directory`;
    for (const one of files?.project ?? []) sink.load(one, "project", holds);
    ruleSet(rules, "project", `rule without paths ${holds}`);
    for (const one of files?.local ?? []) sink.load(one, "local", holds);
  }
}

function result(parts: LoadedParts, cause: string, walk: (sink: Sink) => void): InstructionsResult {
  const { layout } = parts;
  const worktrees: (Worktree | undefined)[] = [
    layout.worktree,
    ...parts.nested.map(({ files }) => files?.worktree),
  ];
  const run = (skip?: Sink["skip"]): LoadedInstructionFile[] => {
    const found: LoadedInstructionFile[] = [];
    const known = new Map<string, string>();
    // By key, if a worktree has its own version of a file of the main checkout.
    const own = new Map<string, string>();
    walk({
      skip,
      load({ entries, skipped }, kind, reason) {
        for (const { importedBy, ...entry } of entries) {
          const { path, realPath } = entry;
          const before = known.get(realPath);
          if (before !== undefined) {
            const as = before === path ? "" : `, as ${before}`;
            skip?.(
              path,
              `loaded already${as}${importedBy === undefined ? "" : ` (imported by ${importedBy})`}`,
            );
            continue;
          }
          known.set(realPath, path);
          const key = keyOf(realPath, worktrees);
          if (key !== realPath) own.set(key, path);
          const why = importedBy === undefined ? reason : `imported by ${importedBy}`;
          found.push({ kind, ...entry, key, reason: why, for: cause });
        }
        if (skip !== undefined) for (const { path, reason: why } of skipped) skip(path, why);
      },
    });
    if (own.size === 0) return found;
    return found.filter(({ path, realPath }) => {
      const version = own.get(realPath);
      if (version !== undefined) skip?.(path, `the worktree has its own version, ${version}`);
      return version === undefined;
    });
  };
  const loaded = run();
  return {
    loaded,
    get skipped() {
      const skipped: SkippedMemory[] = [];
      run((path, reason) => skipped.push({ path, reason }));
      for (const unit of unitsOf(parts)) skipped.push(...unit.skipped);
      return skipped.concat(switchedOff(parts.options));
    },
    get problems() {
      const problems: InstructionProblem[] = [];
      for (const unit of unitsOf(parts)) {
        if (!("rules" in unit)) continue;
        problems.push(...unit.problems);
        for (const { path, patterns } of unit.rules)
          if (patterns?.exhausted !== undefined) problems.push({ path, problem: patterns.exhausted });
      }
      return problems;
    },
  };
}

function withoutPaths(rules: RulesUnit | undefined): Rule[] {
  return rules?.rules.filter(({ patterns }) => patterns === undefined) ?? [];
}

/** The path as given and its real path, if they differ, relative to the base of the patterns. */
function seenFrom({ base, realBase }: RulesUnit, { inside, realPath }: Touched) {
  const given = below(base, inside) ?? "";
  const real = below(realBase, realPath);
  return { given: namesOf(given), real: real === undefined || real === given ? undefined : namesOf(real) };
}
