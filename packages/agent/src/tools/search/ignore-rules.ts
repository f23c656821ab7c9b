// Which files Git ignores below a directory, by the .gitignore files in it and above it. For the search worker.

import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { compileGlob, type Glob, matchGlobs, namesOf } from "sotto/internal/patterns";
import { readRegularSync } from "../../regular-file.ts";

export interface IgnoreRules {
  isIgnored(path: string, isDirectory: boolean): boolean;
}

const LARGEST = 256 * 1024;
// A search runs in its own thread, with a time limit.
const UNLIMITED = { steps: Number.POSITIVE_INFINITY };

/** Nothing in an ignored directory is ignored when the search starts in it: the user asked for it. */
export function createIgnoreRules(root: string): IgnoreRules {
  const top = repositoryOf(root) ?? root;
  const rules = rulesFrom(top);
  return top !== root && isUnderIgnored(root, top, rules) ? rulesFrom(root) : rules;
}

function rulesFrom(top: string): IgnoreRules {
  const known = new Map<string, Glob[]>();
  const globsOf = (directory: string): Glob[] => {
    const globs = known.get(directory) ?? readGlobs(directory, directory === top);
    known.set(directory, globs);
    return globs;
  };
  return {
    /** The nearest .gitignore with a pattern for the path decides. */
    isIgnored(path, isDirectory) {
      for (let at = dirname(path); ; at = dirname(at)) {
        const globs = globsOf(at);
        if (globs.length > 0) {
          const names = namesOf(relative(at, path).split(sep).join("/"));
          const match = matchGlobs(globs, names, UNLIMITED, isDirectory);
          if (match.matched) return true;
          if (match.excludedBy !== undefined) return false;
        }
        if (at === top || at === dirname(at)) return false;
      }
    },
  };
}

function isUnderIgnored(path: string, top: string, rules: IgnoreRules): boolean {
  for (let at = path; at !== top; at = dirname(at)) if (rules.isIgnored(at, true)) return true;
  return false;
}

function repositoryOf(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
}

function readGlobs(directory: string, isTop: boolean): Glob[] {
  const texts = [
    isTop ? readSmall(join(directory, ".git", "info", "exclude")) : "",
    readSmall(join(directory, ".gitignore")),
  ];
  // Git matches nothing with a leading `./`; the rules of this project take it for what people mean.
  const lines = texts
    .join("\n")
    .split(/\r?\n/u)
    .filter((line) => !/^!?\.\//u.test(line));
  return lines.map((line) => compileGlob(line, line)).filter((glob): glob is Glob => glob !== undefined);
}

function readSmall(path: string): string {
  try {
    return readRegularSync(path, LARGEST).toString("utf8");
  } catch {
    return "";
  }
}
