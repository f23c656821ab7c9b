// The main checkout of a linked git worktree: the same project, so links between the two stay inside it.

import { realpath } from "node:fs/promises";
import { absolutePath } from "../../platform/paths.ts";
import { readSmallFile } from "./read-small-file.ts";

/** Its real path. Both must name each other: anyone can write a `.git` file that names a repository of the user's. */
export async function mainCheckout(root: string): Promise<string | undefined> {
  const mark = await readSmallFile(`${root}/.git`);
  if (mark.kind !== "text") return undefined;
  const [, written, name] = /^gitdir: (.+?)\/\.git\/worktrees\/([^/\n]+)\/?\s*$/u.exec(mark.text) ?? [];
  if (written === undefined || name === undefined) return undefined;
  const main = absolutePath(written, root);
  const back = await readSmallFile(`${main}/.git/worktrees/${name}/gitdir`);
  if (back.kind !== "text") return undefined;
  const named = absolutePath(back.text.trim(), `${main}/.git/worktrees/${name}`);
  const isSame =
    (await realpath(named).catch(() => "")) === (await realpath(`${root}/.git`).catch(() => "/"));
  return isSame ? realpath(main).catch(() => undefined) : undefined;
}
