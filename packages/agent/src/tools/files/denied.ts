// What the agent may not read (`--deny`). One check for every tool: by the given name, by the real path, and by the file's
// identity, so that neither a symbolic nor a hard link gets around a rule.

import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import ignore, { type Ignore } from "ignore";

export interface DenialOptions {
  cwd: string;
  /** Gitignore-style patterns, relative to cwd, absolute, or starting with `~/`. */
  denyRead?: readonly string[];
}

export type IsDenied = (path: string) => boolean;

// Beyond this, every file with several hard links is denied: one of its names may be.
const MOST_LOOKED_AT = 200_000;
const WILDCARD = /[*?[\]\\!]/u;

export function createReadRules({ cwd, denyRead = [] }: DenialOptions): IsDenied {
  if (denyRead.length === 0) return () => false;
  const isNamed = createRules(cwd, denyRead);
  let files: Set<string> | "too many" | undefined;
  return (given) => {
    const path = resolve(cwd, given);
    const real = realPathOf(path);
    if (isNamed(path) || isNamed(real)) return true;
    const stats = statSync(real, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || stats.nlink < 2) return false;
    files ??= filesWithSeveralNames(placesOf(cwd, denyRead), isNamed);
    return files === "too many" || files.has(identityOf(stats));
  };
}

/** Whether a rule matches a path. Absolute rules see the whole path, the others the path inside cwd. */
function createRules(cwd: string, denyRead: readonly string[]): IsDenied {
  const everywhere = ignore({ ignorecase: true });
  const inside = ignore({ ignorecase: true });
  for (const rule of denyRead.map((one) => one.normalize())) {
    if (rule.startsWith("~/")) everywhere.add(join(homedir(), rule.slice(2)));
    else {
      if (isAbsolute(rule)) everywhere.add(rule);
      inside.add(rule);
    }
    // A rule for a link also covers its target.
    const { head, tail } = headOf(rule, cwd);
    const real = realPathOf(head);
    if (real !== head) everywhere.add(`${escaped(real)}${tail}`);
  }
  const bases = [...new Set([cwd, realPathOf(cwd)])];
  return (path) => {
    // In the matcher, a dot does not match line breaks: a name with one would slip through.
    const plain = path.normalize().replace(/[\n\r\u2028\u2029]/gu, "\u0001");
    return (
      ignores(everywhere, plain.slice(1)) || bases.some((base) => ignores(inside, relative(base, plain)))
    );
  };
}

function ignores(rules: Ignore, path: string): boolean {
  return path !== "" && path !== ".." && !path.startsWith("../") && !isAbsolute(path) && rules.ignores(path);
}

/** Splits a rule into the path before the first wildcard and the rest. */
function headOf(rule: string, cwd: string): { head: string; tail: string } {
  const at = rule.search(WILDCARD);
  const literal = at < 0 ? rule : rule.slice(0, rule.lastIndexOf("/", at) + 1);
  const head = literal.startsWith("~/") ? join(homedir(), literal.slice(2)) : resolve(cwd, literal);
  return { head, tail: at < 0 ? "" : `/${rule.slice(literal.length)}` };
}

/** Directories that may hold denied files. */
function placesOf(cwd: string, denyRead: readonly string[]): string[] {
  const heads = denyRead.map((rule) => headOf(rule, cwd).head);
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

function escaped(path: string): string {
  return path.replace(/[*?[\]\\!#]/gu, "\\$&");
}

function quietly<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
