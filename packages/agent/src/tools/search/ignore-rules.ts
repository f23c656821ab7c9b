// What Git ignores below a directory, by the .gitignore files in it and above it. For the search worker.

import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { readRegularSync } from "../../regular-file.ts";

export interface IgnoreRules {
  isIgnored(path: string, isDirectory: boolean): boolean;
}

const LARGEST = 256 * 1024;

/** Who asks for a directory that is ignored as a whole wants to see what is in it. */
export function createIgnoreRules(root: string): IgnoreRules {
  const top = repositoryOf(root) ?? root;
  const rules = rulesFrom(top);
  return top !== root && isUnderIgnored(root, top, rules) ? rulesFrom(root) : rules;
}

function rulesFrom(top: string): IgnoreRules {
  const known = new Map<string, Ignore | undefined>();
  const rulesOf = (directory: string) => {
    if (!known.has(directory)) known.set(directory, read(directory, directory === top));
    return known.get(directory);
  };
  return {
    /** The nearest file that speaks about a path decides. */
    isIgnored(path, isDirectory) {
      for (let at = dirname(path); ; at = dirname(at)) {
        const rules = rulesOf(at);
        if (rules !== undefined) {
          const way = relative(at, path).split(sep).join("/");
          const { ignored, unignored } = rules.test(isDirectory ? `${way}/` : way);
          if (ignored || unignored) return ignored;
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

function read(directory: string, isTop: boolean): Ignore | undefined {
  const texts = [
    isTop ? readSmall(join(directory, ".git", "info", "exclude")) : "",
    readSmall(join(directory, ".gitignore")),
  ];
  const lines = texts.join("\n");
  return lines.trim() === "" ? undefined : ignore().add(lines);
}

function readSmall(path: string): string {
  try {
    return readRegularSync(path, LARGEST).toString("utf8");
  } catch {
    return "";
  }
}
