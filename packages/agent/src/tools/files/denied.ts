// What the agent may not read (`--deny`). One check for every tool: by the given name, by the real path, and by the file's
// identity, so that neither a symbolic nor a hard link gets around a rule.

import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import {
  compilePattern,
  createRuleMatcher,
  literalHead,
  moveLine,
  type RuleLine,
} from "sotto/internal/patterns";
import { readingsOf } from "./readings.ts";

export interface DenialOptions {
  cwd: string;
  /** Gitignore-style patterns, relative to cwd, absolute, or starting with `~/`. */
  denyRead?: readonly string[];
}

export type IsDenied = (path: string) => boolean;

// Beyond this, every file with several hard links is denied: one of its names may be.
const MOST_LOOKED_AT = 200_000;

export function createReadRules({ cwd, denyRead = [] }: DenialOptions): IsDenied {
  if (denyRead.length === 0) return () => false;
  const lines = linesOf(cwd, denyRead);
  const ruleFor = createRuleMatcher(lines, { exhausted: "takes too long to match" });
  const isNamed = (path: string) => ruleFor(path.normalize()) !== undefined;
  let files: Set<string> | "too many" | undefined;
  const isDenied = (path: string) => {
    const real = realPathOf(path);
    if (isNamed(path) || isNamed(real)) return true;
    const stats = statSync(real, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || stats.nlink < 2) return false;
    files ??= filesWithSeveralNames(placesOf(cwd, lines), isNamed);
    return files === "too many" || files.has(identityOf(stats));
  };
  return (given) => readingsOf(given, cwd).some(isDenied);
}

/** The lines of all rules. A rule about a link also holds for what the link points to. */
function linesOf(cwd: string, denyRead: readonly string[]): RuleLine[] {
  const places = { cwd, home: homedir() };
  return denyRead.flatMap((rule) => {
    const { lines } = compilePattern(rule.normalize(), places);
    const all = new Set([...lines, ...lines.map((line) => moveLine(line, realPathOf))]);
    return [...all].map((line) => ({ line, rule }));
  });
}

/** Directories that may contain files with a rule about them. */
function placesOf(cwd: string, lines: readonly RuleLine[]): string[] {
  const heads = lines.map(({ line }) => literalHead(line.replace(/^!/u, "")).head || "/");
  const outside = heads.filter((head) => relative(cwd, head).startsWith(".."));
  return [...new Set([cwd, ...outside].map(realPathOf))];
}

/** Denied files with several hard links. Symbolic links are not followed. */
function filesWithSeveralNames(places: readonly string[], isNamed: IsDenied): Set<string> | "too many" {
  const found = new Set<string>();
  const left = [...places];
  let looked = 0;
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (++looked > MOST_LOOKED_AT) return "too many";
    const stats = quietly(() => lstatSync(path as string));
    if (stats?.isDirectory()) left.push(...(quietly(() => namesIn(path as string)) ?? []));
    else if (stats?.isFile() && stats.nlink > 1 && isNamed(path)) found.add(identityOf(stats));
  }
  return found;
}

function namesIn(directory: string): string[] {
  return readdirSync(directory).map((name) => join(directory, name));
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

/** For a missing file, resolves the part of the path that exists. */
function realPathOf(path: string): string {
  const real = quietly(() => realpathSync(path));
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(realPathOf(dirname(path)), basename(path));
}

function quietly<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
