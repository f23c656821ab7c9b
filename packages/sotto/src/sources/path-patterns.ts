// The globs of a rule or a reminder, bounded in number, length and in the steps that matching takes.

import { expandBraces } from "../platform/braces.ts";
import { canEndIn, compileGlob, type Glob, type Match, matchGlobs } from "../platform/gitignore.ts";

export interface Patterns {
  /** As written. */
  sources: readonly string[];
  globs: readonly Glob[];
  /** Patterns that were refused, and why. */
  problems: readonly string[];
  /** Set when matching took too many steps; not tried again. */
  exhausted?: string;
}

// Longer or more than anyone writes by hand: a mistake or an attack.
const MAX_ALTERNATIVES = 1000;
const MAX_LENGTH = 2000;
const MAX_TEXT = 200_000;
const MAX_DEPTH = 200;
const NO_MATCH: Match = { matched: false };
/** Steps for each rule, far more than one written by hand takes: a few microseconds. */
const FREE_STEPS = 5000;
/** Steps that all rules share beyond that, for one path: a few milliseconds. */
const SHARED_STEPS = 500_000;

/** The steps left for matching. Expensive rules only use up what they share, never what cheap ones need. */
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

export function matchPatterns(patterns: Patterns, names: readonly string[], effort: Effort): Match {
  if (patterns.exhausted !== undefined || names.length > MAX_DEPTH) return NO_MATCH;
  const { globs } = patterns;
  const budget = { steps: FREE_STEPS + effort.shared };
  const canMatch = globs.some((glob) => !glob.negative && canEndIn(glob, names, budget));
  const match = canMatch ? matchGlobs(globs, names, budget) : NO_MATCH;
  effort.shared = Math.min(effort.shared, Math.max(budget.steps, 0));
  if (budget.steps >= 0) return match;
  patterns.exhausted = `its patterns take too long to match (${patterns.sources.map(shown).join(", ").slice(0, 200)})`;
  return NO_MATCH;
}

export function shown(pattern: string): string {
  return JSON.stringify(pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern);
}

function whyNot(pattern: string): string {
  if (pattern.startsWith("#")) return "# begins a comment";
  if (pattern.includes("[")) return "its bracket is never closed";
  return pattern.endsWith("\\") ? "it ends with a lone backslash" : "it is empty";
}
