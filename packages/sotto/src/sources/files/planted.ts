// What an agent keeps in the project is its own: mail, plans, its todo list. A file there that git tracks came with the
// project, whatever its name, and is not read as one of these.

import type { Problem } from "../../platform/errors.ts";
import type { FileAccess } from "./file-access.ts";

export const PLANTED =
  "git tracks it, so it came with the project, and is ignored; if it is your own, run `git rm --cached` on it";

export interface Planted {
  /** Those that came with the project. Rejects if the file system does not respond. */
  among(paths: readonly string[]): Promise<ReadonlySet<string>>;
  has(path: string): Promise<boolean>;
  /** It is the agent's own by now, or gone. */
  forget(path: string): void;
  /** One for each that was found. */
  problems(): Problem[];
}

const KEPT = 20;

export function createPlanted(fileAccess: Pick<FileAccess, "project">): Planted {
  const known = new Set<string>();
  const among = async (paths: readonly string[]) => {
    if (paths.length === 0) return new Set<string>();
    const [project, { trackedAmong }] = await Promise.all([fileAccess.project(), import("./git-index.ts")]);
    const found = await trackedAmong(paths.filter((path) => project.owns(path)));
    for (const path of paths)
      if (!found.has(path)) known.delete(path);
      else if (known.size < KEPT) known.add(path);
    return found;
  };
  return {
    among,
    has: async (path) => (await among([path])).has(path),
    forget: (path) => void known.delete(path),
    problems: () => [...known].map((where) => ({ where, problem: PLANTED })),
  };
}
