// The globs of a rule, matched in gitignore's way: the last pattern that speaks about a path or a directory above it
// decides. Own matcher instead of the `ignore` package: that one builds regular expressions, whose time a pattern can
// make explode, so it would have to run in a worker on every read; this one is bounded by counting its steps.

import { type Budget, canEndIn, compileGlob, fold, type Glob, matchesNames } from "./gitignore-glob.ts";

export interface Patterns {
  /** As written. */
  sources: readonly string[];
  globs: readonly Glob[];
  /** Patterns that were refused, in words. */
  problems: readonly string[];
  /** Set when matching took too many steps: not tried again. */
  tired?: string;
}

export type Match =
  | { matched: true; by: string /** Looks as if it excluded the path, but cannot. */; without?: string }
  | { matched: false; excludedBy?: string };

// A rule is written by hand: what goes past these is a mistake or an attack.
const MAX_ALTERNATIVES = 1000;
const MAX_LENGTH = 2000;
const MAX_TEXT = 200_000;
const MAX_DEPTH = 200;
const NO_MATCH: Match = { matched: false };
/** What any rule may take, and far more than one written by hand does: some microseconds. */
const FREE_STEPS = 5000;
/** What all rules may take together beyond that, for one path: some milliseconds. */
const SHARED_STEPS = 500_000;

/** How much matching may still cost. Greedy rules use it up for each other, never for the frugal ones. */
export interface Effort {
  shared: number;
}

export function freshEffort(): Effort {
  return { shared: SHARED_STEPS };
}

export function compilePatterns(sources: readonly string[]): Patterns {
  const globs: Glob[] = [];
  const problems: string[] = [];
  let text = MAX_TEXT;
  for (const source of sources) {
    const room = MAX_ALTERNATIVES - globs.length;
    const expanded = source.length > MAX_LENGTH ? undefined : expandBraces(source, room, text);
    if (expanded === undefined) {
      const why =
        source.length > MAX_LENGTH
          ? `is longer than ${MAX_LENGTH} characters`
          : `makes more than ${MAX_ALTERNATIVES} alternatives`;
      problems.push(`pattern ${shown(source)} ${why}: refused`);
      continue;
    }
    for (const pattern of expanded) {
      text -= pattern.length;
      const glob = pattern.length > MAX_LENGTH ? undefined : compileGlob(pattern, source);
      if (glob !== undefined) globs.push(glob);
      else if (pattern !== "")
        problems.push(`pattern ${shown(source)} can match nothing: ${whyNot(pattern)}`);
    }
    if (/(?:^|\/)\.\.(?:\/|$)/u.test(source))
      problems.push(`pattern ${shown(source)} leaves its directory: it can match nothing`);
  }
  return { sources, globs, problems: [...new Set(problems)] };
}

/** The names of a relative path, without `..`, as patterns want them. */
export function namesOf(path: string): readonly string[] {
  return fold(path).split("/");
}

export function matchPatterns(patterns: Patterns, names: readonly string[], effort: Effort): Match {
  if (patterns.tired !== undefined || names.length > MAX_DEPTH) return NO_MATCH;
  const budget = { steps: FREE_STEPS + effort.shared };
  const match = matchWithin(budget, patterns, names);
  effort.shared = Math.min(effort.shared, Math.max(budget.steps, 0));
  if (budget.steps >= 0) return match;
  patterns.tired = `its patterns take too long to match (${patterns.sources.map(shown).join(", ").slice(0, 200)})`;
  return NO_MATCH;
}

function matchWithin(budget: Budget, patterns: Patterns, names: readonly string[]): Match {
  const { globs } = patterns;
  const last = names.length;
  if (!globs.some((glob) => !glob.negative && canEndIn(glob, names, budget))) return NO_MATCH;
  let excludedBy: string | undefined;
  // A directory that matches takes all below it along, and nothing brings it back: so from the top down.
  for (let count = 1; count <= last; count++)
    for (let index = globs.length - 1; index >= 0; index--) {
      if (budget.steps < 0) return NO_MATCH;
      const glob = globs[index] as Glob;
      if ((glob.directory && count === last) || !matchesNames(glob, names, count, budget)) continue;
      if (!glob.negative)
        return { matched: true, by: glob.source, ...inVain(budget, globs, names, index, count) };
      if (count === last) excludedBy = glob.source;
      break;
    }
  return excludedBy === undefined ? NO_MATCH : { matched: false, excludedBy };
}

/** A later exclusion that describes the path itself, after a directory above it has matched. */
function inVain(budget: Budget, globs: readonly Glob[], names: readonly string[], by: number, count: number) {
  if (count === names.length) return {};
  const vain = globs.find(
    (glob, index) => index > by && glob.negative && matchesNames(glob, names, names.length, budget),
  );
  return vain === undefined ? {} : { without: vain.source };
}

export function shown(pattern: string): string {
  return JSON.stringify(pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern);
}

function whyNot(pattern: string): string {
  if (pattern.startsWith("#")) return "# begins a comment";
  if (pattern.includes("[")) return "its bracket is never closed";
  return pattern.endsWith("\\") ? "it ends with a lone backslash" : "nothing stands in it";
}

// Brace alternatives, `{a,b}`, counted before any is written out.

/** What a pattern is made of: text, and groups of alternatives. */
type Part = string | Part[][];

interface Open {
  alternatives: Part[][];
  parts: Part[];
}

/** All alternatives, in order; undefined where there are more than `most`, or they make too much text. */
export function expandBraces(pattern: string, most: number, mostText: number): string[] | undefined {
  if (!pattern.includes("{")) return [pattern];
  const parts = parse(pattern);
  const count = countOf(parts);
  if (count > most || count * pattern.length > mostText) return undefined;
  return written(parts);
}

function parse(pattern: string): Part[] {
  const open: Open[] = [];
  let current: Open = { alternatives: [], parts: [] };
  let text = "";
  const endText = () => {
    if (text !== "") current.parts.push(text);
    text = "";
  };
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] as string;
    if (character === "\\") text += character + (pattern[++index] ?? "");
    else if (character === "{") {
      endText();
      open.push(current);
      current = { alternatives: [], parts: [] };
    } else if (character === "," && open.length > 0) {
      endText();
      current.alternatives.push(current.parts);
      current.parts = [];
    } else if (character === "}" && open.length > 0) {
      endText();
      const { alternatives, parts } = current;
      current = open.pop() as Open;
      // A brace around one thing is a character like any other.
      if (alternatives.length > 0) current.parts.push([...alternatives, parts]);
      else for (const part of ["{", ...parts, "}"]) current.parts.push(part);
    } else text += character;
  }
  endText();
  // So is one that is never closed.
  const [first = current, ...unclosed] = [...open, current];
  const all = first.parts;
  for (const { alternatives, parts } of unclosed)
    for (const [index, some] of [...alternatives, parts].entries()) {
      all.push(index === 0 ? "{" : ",");
      for (const part of some) all.push(part);
    }
  return all;
}

function countOf(parts: readonly Part[]): number {
  let count = 1;
  for (const part of parts)
    if (typeof part !== "string") count *= part.reduce((sum, alternative) => sum + countOf(alternative), 0);
  return count;
}

function written(parts: readonly Part[]): string[] {
  let all = [""];
  for (const part of parts) {
    const endings = typeof part === "string" ? [part] : part.flatMap(written);
    all = all.flatMap((beginning) => endings.map((ending) => beginning + ending));
  }
  return all;
}
