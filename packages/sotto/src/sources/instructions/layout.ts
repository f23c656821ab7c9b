// The layout of the working directory: the directories above it, its repository, and the user's own directories.

import {
  absolutePath,
  directoriesDown,
  isWithin,
  joined,
  parentOf,
  projectRootOf,
} from "../../platform/paths.ts";
import type { Document, Look, MemoryCache } from "./cache.ts";
import type { Allowance, ImportOptions } from "./imports.ts";
import type { InstructionKind, MemoryOptions, MemoryReach, Signature } from "./types.ts";

export interface Layout {
  look: Look;
  /** From the file system's root, or the project's, down to the working directory. */
  levels: readonly string[];
  /** The root of the project: the repository of cwd, or cwd. */
  root: string;
  realRoot: string;
  realCwd: string;
  worktree?: Worktree;
  /** Whether it belongs to the user's own instructions, wherever it is found. */
  isUsers(realPath: string): boolean;
}

export async function loadLayout(options: MemoryOptions, cache: MemoryCache): Promise<Layout> {
  const { cwd, home, files, userDirs, userFiles } = options;
  const look = cache.look();
  const above = directoriesDown(cwd.slice(0, cwd.indexOf("/")) || "/", cwd);
  const marks = above.map((directory) => joined(directory, ".git"));
  const seen = await look.signatures(marks, "presence");
  const at = seen.findLastIndex((mark) => mark !== undefined);
  const root = projectRootOf(above[at] ?? cwd, { cwd, home });
  const levels = options.aboveProject ? above : above.filter((directory) => isWithin(root, directory));
  // Detects a link that now leads elsewhere.
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

/** Whether it is above the repository, where only the user's own files are trusted. */
export function isAbove({ root }: Layout, directory: string): boolean {
  return directory !== root && isWithin(directory, root);
}

// A linked git worktree is another checkout of the same files: what is the same in both is not sent twice.

export interface Worktree {
  root: string;
  /** The main checkout. */
  main: string;
}

/** `seen` is the signature of `.git` in that directory: a file in a linked worktree. */
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

// What all units share: a unit is the content of one directory, loaded as a whole and kept until something in it
// changes.

export interface UnitContext {
  options: MemoryOptions;
  cache: MemoryCache;
  layout: Layout;
}

/** Its text, or why there is none. */
export async function readInstructionFile(
  { path, seen }: { path: string; seen: Signature },
  look: Look,
  { isForeign, reach }: { isForeign: (seen: Signature) => string | undefined; reach: MemoryReach },
): Promise<Document | string> {
  const foreign = isForeign(seen);
  if (foreign !== undefined) return foreign;
  if (seen.kind !== "file") return seen.kind === "directory" ? "is a directory" : "is not a regular file";
  const document = await look.read(path, seen, reach);
  if (document.kind === "text") return document;
  return document.kind === "missing" ? "does not exist" : document.why;
}

/** Links in the user's own files may lead anywhere; links above the repository may not leave their directory. */
export function reachOf(
  { kind, directory }: { kind: InstructionKind; directory: string | undefined },
  { layout, options: { managedDir, managedOwner } }: UnitContext,
): MemoryReach {
  if (kind === "managed" && managedDir !== undefined && managedOwner !== undefined)
    return { within: managedDir };
  if (kind === "user" || kind === "managed") return "anywhere";
  return directory !== undefined && isAbove(layout, directory) ? { within: directory } : undefined;
}

/** Above the repository, files of another user are not trusted: anyone can put files into /tmp. */
export async function foreigners(
  directory: string | undefined,
  look: Look,
  { options: { uid }, layout }: UnitContext,
): Promise<(seen: Signature) => string | undefined> {
  if (directory === undefined || uid === undefined || !isAbove(layout, directory)) return () => undefined;
  const [seen] = await look.signatures([directory], "presence");
  const why = `belongs to another user: above the repository ${layout.root} only your own files are trusted`;
  if (seen !== undefined && seen.uid !== uid) return () => `its directory ${directory} ${why}`;
  return (file) => (file.uid === uid ? undefined : why);
}

export function importOptions(
  look: Look,
  kind: InstructionKind,
  allowance: Allowance,
  { options, layout }: UnitContext,
): ImportOptions {
  return {
    look,
    allowance,
    home: options.home,
    project: [layout.root, layout.realRoot],
    depth: options.importDepth,
    shown: options.shown,
    allowExternal: kind === "user" || options.allowExternalImports,
  };
}
