// What the agent may not read, and what looks secret: asked before anything is opened, and again about what was opened.

import { realpath } from "node:fs/promises";
import { absolutePath } from "../../platform/paths.ts";
import { processGate } from "./io-limit.ts";
import { compilePattern, escapeLiteral, literalHead, type PatternPlaces } from "./patterns.ts";
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
    const real = await processGate.run({
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
