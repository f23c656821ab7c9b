// Paths of a scenario stay inside its project: a slip in one must not write elsewhere.

import { isAbsolute, relative, resolve, sep } from "node:path";

/** The whole path. Throws where it leaves the directory, or is the directory. */
export function inside(cwd: string, path: string): string {
  const whole = resolve(cwd, path);
  const way = relative(cwd, whole);
  if (way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way))
    throw new Error(`expected a path inside the project, got ${path}`);
  return whole;
}
