// Whether a file of a project is trusted as it stands: its place in the project, its content, and the files that its
// commands name.

import { realpath } from "node:fs/promises";
import { absolutePath } from "../../platform/paths.ts";
import { repositoryOf } from "../config-files/find-config.ts";
import { below } from "../../platform/paths-of-memory.ts";
import { type NamedFiles, namedFiles } from "./named-files.ts";
import type { TrustBook, TrustState } from "./trust-store.ts";

export interface Asked {
  path: string;
  content: string;
  /** Where the agent works. */
  cwd: string;
}

export interface LookedUp {
  /** What the book knows it by. */
  key: string;
  named: NamedFiles;
  state: TrustState;
}

export async function lookUp(book: TrustBook, { path, content, cwd }: Asked): Promise<LookedUp> {
  const at = absolutePath(cwd, "/");
  const root = (await repositoryOf(at)) ?? at;
  const key = await trustKey(path, root);
  const named = await namedFiles({ path, content, cwd: at, root });
  return { key, named, state: await book.state(key, content, named) };
}

/**
 * A file of the project is known by its place there, wherever links lead: one that leads to a file which was trusted
 * elsewhere is not trusted here, where its words mean something else. A file outside is known by its real path.
 */
async function trustKey(path: string, root: string): Promise<string> {
  const realRoot = await realpath(root).catch(() => root);
  const inside = below(root, path) ?? below(realRoot, path);
  if (inside !== undefined) return `${realRoot === "/" ? "" : realRoot}/${inside}`;
  return realpath(path).catch(() => path);
}
