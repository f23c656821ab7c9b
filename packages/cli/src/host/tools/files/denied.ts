// What the agent may not read, by the rules of whoever runs it.

import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import ignore from "ignore";

export interface DenialOptions {
  cwd: string;
  /** Gitignore-style, relative to cwd, or absolute, or from `~/`. */
  denyRead?: readonly string[];
}

/** Whether a rule speaks about the path; both names of a file are to be asked about. */
export function createDenial({ cwd, denyRead = [] }: DenialOptions): (path: string) => boolean {
  if (denyRead.length === 0) return () => false;
  // Two views: rules with a place of their own see the whole path, the others what is inside cwd.
  const everywhere = ignore({ ignorecase: true });
  const inside = ignore({ ignorecase: true });
  for (const rule of denyRead) {
    if (rule.startsWith("~/")) everywhere.add(join(homedir(), rule.slice(2)));
    else if (isAbsolute(rule)) {
      everywhere.add(rule);
      inside.add(rule);
    } else inside.add(rule);
  }
  return (path) => {
    const whole = resolve(cwd, path).slice(1);
    const part = relative(cwd, resolve(cwd, path));
    const isInside = part !== "" && !part.startsWith("..") && !isAbsolute(part);
    return (whole !== "" && everywhere.ignores(whole)) || (isInside && inside.ignores(part));
  };
}
