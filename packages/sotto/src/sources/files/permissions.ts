// What the agent may not read, and what looks secret: asked before anything is opened, and again about what was opened.

import { realpath } from "node:fs/promises";
import { absolutePath } from "../../platform/paths.ts";
import { processIoLimit } from "./io-limit.ts";
import { looksSecret } from "./secrets.ts";

export type Permission = { allowed: true } | { allowed: false; rule: string };

export interface Permissions {
  /** What relative paths are relative to. */
  cwd: string;
  /** Both names of a file are asked. A path that ends with a slash is a directory. */
  check(path: string, realPath?: string): Permission;
  /** Looks secret, and no exception is made for it. */
  isSecret(path: string): boolean;
  /** Where the rules begin to hold: what they deny is in there, or is that itself. */
  deniedPlaces: readonly string[];
  /** Patterns that could not be taken as they are, and what became of them. */
  problems: string[];
}

export interface PermissionOptions {
  cwd: string;
  home: string;
  /** Gitignore-style, relative to cwd, or absolute, or from `~/`. Case does not matter, as on half of all disks. */
  denyRead?: readonly string[];
  /** Secret-looking files that may be read all the same; written like `denyRead`, but `/` is the root only. */
  allowSecrets?: readonly string[];
}

interface Line {
  pattern: string;
  mark: string;
}

type Matcher = (path: string) => { ignored: boolean; rule?: { mark?: string } };

const ALLOWED: Permission = { allowed: true };
// Deeper paths are no one's work, and matching slows down with depth.
const MAX_DEPTH = 100;
// The matcher remembers every path it saw; it is made anew before that becomes much.
const REMEMBERED = 10_000;

export async function createPermissions(options: PermissionOptions): Promise<Permissions> {
  const { home, denyRead = [], allowSecrets = [] } = options;
  const cwd = absolutePath(options.cwd, "/");
  const places: PatternPlaces = { cwd, home: absolutePath(home, "/") };
  const problems: string[] = [];
  const realHeads = new Map<string, Promise<string>>();
  const lines = async (patterns: readonly string[], allows: boolean) => {
    const found: Line[] = [];
    for (const mark of patterns) {
      const { lines, problem } = compilePattern(mark.normalize(), places, allows);
      if (problem !== undefined) problems.push(problem);
      for (const line of lines)
        for (const pattern of await withRealPath(line, realHeads)) found.push({ pattern, mark });
    }
    return found;
  };
  const deniedLines = await lines(denyRead, false);
  const denied = await matcher(deniedLines, { ignorecase: true });
  const excepted = await matcher(await lines(allowSecrets, true), { ignorecase: false });

  const ask = (path: string): Permission => {
    const place = matchable(path, cwd);
    if (denied === undefined || place === "") return ALLOWED;
    if (place.split("/").length > MAX_DEPTH) return { allowed: false, rule: `deeper than ${MAX_DEPTH}` };
    const { ignored, rule } = denied(place);
    return ignored ? { allowed: false, rule: rule?.mark ?? "denied" } : ALLOWED;
  };
  return {
    cwd,
    problems,
    deniedPlaces: [...new Set(deniedLines.map(({ pattern }) => literalHead(pattern).head || "/"))],
    check(path, realPath = path) {
      const first = ask(path);
      return first.allowed && realPath !== path ? ask(realPath) : first;
    },
    isSecret(path) {
      if (!looksSecret(path)) return false;
      const place = matchable(path, cwd);
      return excepted === undefined || place.split("/").length > MAX_DEPTH || !excepted(place).ignored;
    },
  };
}

/** Nothing is loaded where there is nothing to match. */
async function matcher(lines: Line[], options: { ignorecase: boolean }): Promise<Matcher | undefined> {
  if (lines.length === 0) return undefined;
  const { default: ignore } = await import("ignore");
  const make = () => {
    const made = ignore(options);
    for (const { pattern, mark } of lines) made.add({ pattern: rooted(pattern), mark });
    return made;
  };
  let current = make();
  let asked = 0;
  return (path) => {
    if (++asked % REMEMBERED === 0) current = make();
    return current.test(path);
  };
}

/** A rule about a link is one about what it leads to. */
async function withRealPath(line: string, known: Map<string, Promise<string>>): Promise<string[]> {
  const sign = line.startsWith("!") ? "!" : "";
  const { head, tail } = literalHead(line.slice(sign.length));
  if (!known.has(head)) known.set(head, realPathOfExisting(head));
  const real = (await known.get(head)) ?? head;
  return real === head ? [line] : [line, sign + escapeLiteral(real) + tail];
}

/** The real path of as much as there is, with the rest as it stands. */
async function realPathOfExisting(path: string): Promise<string> {
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    const real = await processIoLimit.run({
      task: () => realpath(path.slice(0, end)).catch(() => undefined),
      refused: () => undefined,
    });
    if (real !== undefined) return absolutePath(real, "/").replace(/\/$/u, "") + path.slice(end);
  }
  return path;
}

/** A path as the matcher wants it: without the leading slash, and with one at the end if it is a directory. */
function matchable(path: string, cwd: string): string {
  const place = rooted(absolutePath(path, cwd).normalize()).replace(/^\/+/u, "");
  return place !== "" && path.endsWith("/") ? `${place}/` : place;
}

/**
 * From the root, also where there are drives. The matcher's `.` stops at line ends: a name with one in it would slip
 * through `**`.
 */
function rooted(path: string): string {
  return path.replace(/^(!?)([A-Za-z]):/u, "$1/$2").replace(/[\n\r\u2028\u2029]/gu, "\u0001");
}

// Patterns of permission rules, made absolute and bounded before the `ignore` package gets to see them.

export interface PatternPlaces {
  cwd: string;
  home: string;
}

export interface CompiledPattern {
  /** Gitignore lines over absolute paths; a leading `!` is kept. */
  lines: string[];
  /** Set where the pattern could not be taken as it is. */
  problem?: string;
}

// A rule is written by hand: what goes past these is a mistake or an attack, not a rule.
const MAX_LENGTH = 4096;
const MAX_ALTERNATIVES = 100;
// Each `**` between slashes multiplies the ways a deep path can be tried.
const MAX_GLOBSTARS = 3;
const CLASS = "\\[:(?:alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit):\\]";
const MEMBER = `(?:${CLASS}|\\\\.|(?!\\[:)[^\\]\\\\])`;
const BRACKET = `\\[(?:[!^]|(?![!^]))(?:\\]|${MEMBER})${MEMBER}*\\]`;
// Git takes a pattern with a bracket left open for one that matches nothing. Each character has one way to match here.
const SOUND = new RegExp(`^(?:[^\\\\[]|\\\\.|${BRACKET})*$`, "su");

/**
 * A rule that forbids fails closed: what cannot be understood forbids everything that begins like it. One that
 * allows (`!…`, or a list of exceptions) is then left out.
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
  if (!fails) return { lines: [], problem: `"${sign}${shown}" is left out: it cannot be understood` };
  const head = /^[^*?[{\\]*/u.exec(body.slice(0, 200))?.[0] ?? "";
  return {
    lines: absolute(`${head}*`),
    problem: `"${shown}" cannot be understood: everything that begins with "${head}" is denied`,
  };
}

/** Puts a backslash before whatever means something in a pattern. */
export function escapeLiteral(path: string): string {
  return path.replace(/[\\*?[\]{}!# ]/gu, "\\$&");
}

/** The whole literal segments a line begins with, unescaped, and the rest. */
export function literalHead(line: string): { head: string; tail: string } {
  const literal = /^(?:\\.|[^\\*?[])*/su.exec(line)?.[0] ?? "";
  const end = literal.length === line.length ? line.replace(/\/$/u, "").length : literal.lastIndexOf("/");
  return { head: line.slice(0, end).replace(/\\(.)/gsu, "$1"), tail: line.slice(end) };
}

/** Where a pattern holds, as absolute lines. */
function locate(body: string, { cwd, home }: PatternPlaces, both: boolean): string[] {
  const under = (directory: string, rest: string) =>
    `${directory === "/" ? "" : escapeLiteral(directory)}/${rest}`;
  if (body === "~" || body.startsWith("~/")) return [under(home, body.slice(2))];
  if (/^[A-Za-z]:\//u.test(body)) return [body];
  // Absolute, or in gitignore's way from cwd: both are meant by some, so a rule holds for both.
  if (body.startsWith("/")) return both && cwd !== "/" ? [body, under(cwd, body.slice(1))] : [body];
  const steps = /^(?:\.\.?\/)+/u.exec(body)?.[0] ?? "";
  if (steps !== "") {
    const up = steps.split("/").filter((step) => step === "..").length;
    const kept = cwd.split("/").slice(0, up === 0 ? undefined : -up);
    return [under(kept.join("/") || "/", body.slice(steps.length))];
  }
  // By gitignore's rule, a slash before the end ties a pattern to its directory.
  return [under(cwd, body.slice(0, -1).includes("/") ? body : `**/${body}`)];
}

/** The patterns without braces that a pattern with braces stands for; nothing if it cannot be understood. */
function alternatives(body: string): string[] | undefined {
  if (body.length > MAX_LENGTH) return undefined;
  const done: string[] = [];
  const open = [body];
  while (open.length > 0) {
    const one = open.pop() as string;
    const group = firstGroup(one);
    if (group === undefined) {
      const folded = one.replace(/(?:\*\*+\/)+/gu, "**/").replace(/\*{3,}/gu, "**");
      if (!isSound(folded)) return undefined;
      if (folded !== "") done.push(folded);
    } else {
      for (const part of group.parts.reverse()) open.push(group.before + part + group.after);
    }
    if (done.length + open.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}

function isSound(pattern: string): boolean {
  if ((pattern.match(/\*\*/gu) ?? []).length > MAX_GLOBSTARS) return false;
  return SOUND.test(pattern);
}

/** The first `{a,b}`: inner braces stay in the parts and are found later. */
function firstGroup(pattern: string): { before: string; parts: string[]; after: string } | undefined {
  let start = -1;
  let depth = 0;
  let commas: number[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") at++;
    else if (character === "{") {
      if (depth === 0) {
        start = at;
        commas = [];
      }
      depth++;
    } else if (character === "," && depth === 1) commas.push(at);
    else if (character === "}" && depth > 0) {
      depth--;
      if (depth > 0 || commas.length === 0) continue;
      const edges = [start, ...commas, at];
      const parts = edges.slice(1).map((edge, index) => pattern.slice((edges[index] as number) + 1, edge));
      return { before: pattern.slice(0, start), parts, after: pattern.slice(at + 1) };
    }
  }
  return undefined;
}

/** `[id].tsx` and `{a,b}.txt` are names of real files, too. */
function literally(body: string): string[] {
  return /[[{]/u.test(body) ? [body.replace(/[[\]{}]/gu, "\\$&")] : [];
}
