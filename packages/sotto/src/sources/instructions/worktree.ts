// A linked git worktree is another checkout of the same files: what is the same there is not said again.

import { absolutePath } from "../../platform/paths.ts";
import type { Look } from "./cache.ts";
import { joined } from "../../platform/paths-of-memory.ts";
import type { Signature } from "./types.ts";

export interface Worktree {
  root: string;
  /** Where the repository itself is checked out. */
  main: string;
}

/** `seen` is the signature of `.git` in that directory: a file where it is a linked worktree. */
export async function worktreeAt(
  directory: string,
  look: Look,
  seen: Signature | undefined,
): Promise<Worktree | undefined> {
  if (seen?.kind !== "file" || seen.size > 4096) return undefined;
  const path = joined(directory, ".git");
  const [now] = await look.signatures([path]);
  const document = now === undefined ? undefined : await look.read(path, now);
  if (document?.kind !== "text") return undefined;
  const written = /^gitdir: (.+?)\/\.git\/worktrees\/[^/\n]+\/?\s*$/u.exec(document.text)?.[1];
  const [, root] = /^(.*)\/\.git$/u.exec(document.realPath) ?? [];
  return written === undefined || root === undefined
    ? undefined
    : { root, main: absolutePath(written, root) };
}

/** The name of a file that is the same in every checkout. */
export function keyOf(realPath: string, worktrees: readonly (Worktree | undefined)[]): string {
  for (const worktree of worktrees)
    if (worktree !== undefined && realPath.startsWith(`${worktree.root}/`))
      return worktree.main + realPath.slice(worktree.root.length);
  return realPath;
}
