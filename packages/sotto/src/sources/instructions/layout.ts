// How the working directory lies: the directories above it, the repository that holds it, what is the user's own.

import type { Look, MemoryCache } from "./cache.ts";
import { directoriesDown, groundOf, isWithin, joined, parentOf } from "../../platform/paths-of-memory.ts";
import type { MemoryOptions } from "./types.ts";
import { type Worktree, worktreeAt } from "./worktree.ts";

export interface Layout {
  look: Look;
  /** From just below the file system's root, or from the project's, down to the working directory. */
  levels: readonly string[];
  /** Where the project begins: the repository that holds cwd, else cwd. */
  root: string;
  realRoot: string;
  realCwd: string;
  worktree?: Worktree;
  /** Belongs to the user's own instructions, wherever it is met. */
  isUsers(realPath: string): boolean;
}

export async function loadLayout(options: MemoryOptions, cache: MemoryCache): Promise<Layout> {
  const { cwd, home, files, userDirs, userFiles } = options;
  const look = cache.look();
  const above = directoriesDown(cwd.slice(0, cwd.indexOf("/")) || "/", cwd);
  const marks = above.map((directory) => joined(directory, ".git"));
  const seen = await look.signatures(marks, "presence");
  const at = seen.findLastIndex((mark) => mark !== undefined);
  const root = groundOf(above[at] ?? cwd, { cwd, home });
  const levels = options.aboveProject ? above : above.filter((directory) => isWithin(root, directory));
  // A link that now leads elsewhere is seen by these.
  await look.signatures([cwd, root, ...userDirs, ...userFiles.map(parentOf)], "presence");
  const real = async (path: string) => (await files.realPath(path)) ?? path;
  const own = await Promise.all([...userDirs, ...userFiles].map(real));
  const worktree = await worktreeAt(root, look, above[at] === root ? seen[at] : undefined);
  return {
    look,
    levels,
    root,
    realRoot: await real(root),
    realCwd: await real(cwd),
    ...(worktree && { worktree }),
    isUsers: (realPath) => own.some((path) => isWithin(path, realPath)),
  };
}

/** Above the repository: there only what is the user's own is trusted. */
export function isAbove({ root }: Layout, directory: string): boolean {
  return directory !== root && isWithin(directory, root);
}
