// Rules about which files may be read: gitignore patterns over absolute paths, bounded, that fail closed.

import { expandBraces } from "./braces.ts";
import { compileGlob, type Glob, matchGlobs, namesOf } from "./gitignore.ts";

export interface PatternPlaces {
  cwd: string;
  home: string;
}

interface CompiledPattern {
  /** Gitignore lines over absolute paths; a leading `!` is kept. */
  lines: string[];
  /** Set if the pattern could not be used as written. */
  problem?: string;
}

// Longer or more than what anyone writes by hand: a mistake or an attack.
const MAX_LENGTH = 4096;
const MAX_ALTERNATIVES = 100;
// Enough for any rule written by hand.
const MAX_GLOBSTARS = 3;
/**
 * A deny rule fails closed: one that cannot be understood denies everything that begins like it. A rule that allows
 * (`!…`, or an exception) is ignored instead.
 */
export function compilePattern(pattern: string, places: PatternPlaces, allows = false): CompiledPattern {
  const negative = pattern.startsWith("!");
  const body = negative ? pattern.slice(1) : pattern;
  const sign = negative ? "!" : "";
  const fails = !negative && !allows;
  if (body.trim() === "") return { lines: [], problem: `"${pattern}" is empty` };
  const absolute = (one: string) => locate(one, places, !allows).map((line) => sign + line);
  const bodies = alternatives(body);
  if (bodies !== undefined)
    return { lines: [...bodies, ...(fails ? literally(body) : [])].flatMap(absolute) };
  const shown = body.length > 60 ? `${body.slice(0, 60)}…` : body;
  if (!fails) return { lines: [], problem: `"${sign}${shown}" is ignored: it cannot be understood` };
  const head = /^[^*?[{\\]*/u.exec(body.slice(0, 200))?.[0] ?? "";
  return {
    lines: absolute(`${head}*`),
    problem: `"${shown}" cannot be understood: everything that begins with "${head}" is denied`,
  };
}

export interface RuleLine {
  line: string;
  /** The rule that the line comes from, as written. */
  rule: string;
}

/** The rule that decides about an absolute path, if any. A path that ends with a slash is a directory. */
export type RuleMatcher = (path: string) => string | undefined;

// A few milliseconds. A rule written by hand takes microseconds.
const MAX_STEPS = 1_000_000;

/** `exhausted` is the answer for a path that takes too many steps to match. */
export function createRuleMatcher(
  lines: readonly RuleLine[],
  { exactCase = false, exhausted }: { exactCase?: boolean; exhausted: string | undefined },
): RuleMatcher {
  const globs = lines
    .map(({ line, rule }) => compileGlob(fromRoot(line), rule, { exactCase }))
    .filter((glob): glob is Glob => glob !== undefined);
  return (path) => {
    const place = fromRoot(path).replace(/^\/+|\/+$/gu, "");
    if (globs.length === 0 || place === "") return undefined;
    const budget = { steps: MAX_STEPS };
    const match = matchGlobs(
      globs,
      exactCase ? place.split("/") : namesOf(place),
      budget,
      path.endsWith("/"),
    );
    if (budget.steps < 0) return exhausted;
    return match.matched ? match.by : undefined;
  };
}

/** The line for another place: a rule about a link also holds for what the link points to. */
export function moveLine(line: string, to: (head: string) => string): string {
  const sign = line.startsWith("!") ? "!" : "";
  const { head, tail } = literalHead(line.slice(sign.length));
  const moved = to(head);
  return moved === head ? line : sign + escapeLiteral(moved) + tail;
}

/** With drives as directories: `C:/x` is `/C/x`. */
function fromRoot(path: string): string {
  return path.replace(/^(!?)([A-Za-z]):/u, "$1/$2");
}

/** Puts a backslash before each character with a meaning in patterns. */
function escapeLiteral(path: string): string {
  return path.replace(/[\\*?[\]{}!# ]/gu, "\\$&");
}

/** The literal segments at the beginning of a line, unescaped, and the rest. */
export function literalHead(line: string): { head: string; tail: string } {
  const literal = /^(?:\\.|[^\\*?[])*/su.exec(line)?.[0] ?? "";
  const end = literal.length === line.length ? line.replace(/\/$/u, "").length : literal.lastIndexOf("/");
  return { head: line.slice(0, end).replace(/\\(.)/gsu, "$1"), tail: line.slice(end) };
}

/** The absolute lines that a pattern stands for. */
function locate(body: string, { cwd, home }: PatternPlaces, both: boolean): string[] {
  const under = (directory: string, rest: string) =>
    `${directory === "/" ? "" : escapeLiteral(directory)}/${rest}`;
  if (body === "~" || body.startsWith("~/")) return [under(home, body.slice(2))];
  if (/^[A-Za-z]:\//u.test(body)) return [body];
  // Some mean the root of the disk, others the working directory as in .gitignore: a rule holds for both.
  if (body.startsWith("/")) return both && cwd !== "/" ? [body, under(cwd, body.slice(1))] : [body];
  const steps = /^(?:\.\.?\/)+/u.exec(body)?.[0] ?? "";
  if (steps !== "") {
    const up = steps.split("/").filter((step) => step === "..").length;
    const kept = cwd.split("/").slice(0, up === 0 ? undefined : -up);
    return [under(kept.join("/") || "/", body.slice(steps.length))];
  }
  // As in .gitignore, a slash before the end ties a pattern to its directory.
  if (body.slice(0, -1).includes("/")) return [under(cwd, body)];
  // The second line is about the name in cwd, which may be a link.
  return [under(cwd, `**/${body}`), ...(both ? [under(cwd, body)] : [])];
}

/** The patterns without braces that a pattern with braces stands for; undefined if it cannot be understood. */
function alternatives(body: string): string[] | undefined {
  if (body.length > MAX_LENGTH) return undefined;
  const expanded = expandBraces(body, MAX_ALTERNATIVES, Number.POSITIVE_INFINITY);
  const folded = expanded?.map((one) => one.replace(/(?:\*\*+\/)+/gu, "**/").replace(/\*{3,}/gu, "**"));
  const wanted = folded?.filter((one) => one !== "");
  return wanted?.every(isUnderstood) ? wanted : undefined;
}

function isUnderstood(pattern: string): boolean {
  if ((pattern.match(/\*\*/gu) ?? []).length > MAX_GLOBSTARS) return false;
  // A comment means nothing here: lines are absolute by the time they are matched.
  return compileGlob(`/${pattern}`, pattern) !== undefined;
}

/** `[id].tsx` and `{a,b}.txt` can also be names of files. */
function literally(body: string): string[] {
  return /[[{]/u.test(body) ? [body.replace(/[[\]{}]/gu, "\\$&")] : [];
}
