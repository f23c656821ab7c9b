// Where a path of the model leads, links followed, and whether the agent may go there.

import { realpathSync } from "node:fs";
import { lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Session } from "sotto";
import { looksSecret } from "sotto/internal";
import { openRegular, type RegularFile, readHandle, UnsuitableFile } from "../../regular-file.ts";
import type { ToolContext } from "../tool.ts";
import { createReadRules } from "./denied.ts";

export interface FilePlace {
  /** Absolute, as given: links stand as they are. */
  path: string;
  realPath: string;
  exists: boolean;
}

export type AgentFileAccess = Pick<ToolContext, "cwd" | "extraDirectories" | "denyRead">;

/** Throws, in words for the model, where the agent may not go. */
export async function locate(given: string, ground: AgentFileAccess): Promise<FilePlace> {
  if (given.includes("\0")) throw new Error("a path cannot hold a NUL character");
  const path = absolute(given, ground.cwd);
  const place = await realPlace(path);
  const roots = await realRoots(ground);
  if (!roots.some((root) => isInside(place.realPath, root))) throw new Error(outside(path, place, ground));
  if (createReadRules(ground)(path)) throw new Error(`${path} may not be read: a rule of the user denies it`);
  return place;
}

/** As `locate`, for what is to be written. */
export async function locateForWriting(given: string, ground: AgentFileAccess): Promise<FilePlace> {
  const place = await locate(given, ground);
  // Hooks and settings in there are programs that Git runs.
  if (place.realPath.split(sep).includes(".git"))
    throw new Error(`${place.path} belongs to Git: use git commands instead of writing it`);
  return place;
}

export function absolute(given: string, cwd: string): string {
  return resolve(cwd, given === "~" || given.startsWith("~/") ? join(homedir(), given.slice(1)) : given);
}

export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** As people and models read it best: short inside cwd. */
export function shown(path: string, cwd: string): string {
  return path !== cwd && isInside(path, cwd) ? relative(cwd, path) : path;
}

export async function realRoots({ cwd, extraDirectories }: AgentFileAccess): Promise<string[]> {
  const roots = [cwd, ...extraDirectories.map((directory) => absolute(directory, cwd))];
  return Promise.all(roots.map((root) => realpath(root).catch(() => root)));
}

/** A new file is where its nearest existing directory really is. */
async function realPlace(path: string): Promise<FilePlace> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      const real = await realpath(at);
      return { path, realPath: join(real, ...missing), exists: missing.length === 0 };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileProblem(path, error);
    }
    // What is written through it would land where it points to.
    if (await isThere(at)) throw new Error(`${at} is a link that leads nowhere`);
    missing.unshift(basename(at));
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function outside(path: string, { realPath }: FilePlace, { cwd }: AgentFileAccess): string {
  const leads = realPath === path ? "is" : `leads to ${realPath}, which is`;
  return `${path} ${leads} outside ${cwd}: the agent stays inside the project and the directories given with --add-dir`;
}

// Opens the file of a place for the agent, and nothing that would hang or flood it.

export async function openFile({ path, realPath, exists }: FilePlace): Promise<RegularFile> {
  if (!exists) throw new Error(`${path} does not exist`);
  try {
    // The real path was asked for before: a link that stands there now was put there in between.
    return await openRegular(realPath, { noFollow: true });
  } catch (error) {
    if (!(error instanceof UnsuitableFile)) throw fileProblem(path, error);
    throw new Error(
      error.isDirectory
        ? `${path} is a directory: look into it with Glob, or with ls in Bash`
        : error.message.replace(realPath, () => path),
    );
  }
}

/** All of it, up to a limit. */
export async function readWhole(place: FilePlace, most: number): Promise<Buffer> {
  const file = await openFile(place);
  try {
    return await readHandle(place.path, file, most);
  } finally {
    await file.handle.close();
  }
}

// Files that look as if they held secrets, by Sotto's own rule: the agent shows them only if the user says so.

export const SECRET_QUESTION = {
  detail: "This file looks as if it held secrets. The model would read it.",
  allowedBy: "--permission-mode all",
  always: "every file that looks secret, with this tool",
};

/** By its name, and by where links lead. */
export function isSecret(given: string, cwd: string): boolean {
  const path = resolve(cwd, given);
  if (looksSecret(path)) return true;
  try {
    return looksSecret(realpathSync(path));
  } catch {
    return false;
  }
}

// Failures of the file system in words that tell what to do.

const WORDS: Record<string, string> = {
  ENOENT: "does not exist",
  EACCES: "may not be opened: no permission",
  EPERM: "may not be opened: no permission",
  EROFS: "cannot be written: the file system is read-only",
  ENOSPC: "cannot be written: the disk is full",
  EDQUOT: "cannot be written: the disk quota is used up",
  ENOTDIR: "cannot be reached: a part of its path is a file, not a directory",
  ENAMETOOLONG: "has a name that is too long",
  ELOOP: "cannot be reached: its links lead in a circle",
  EISDIR: "is a directory",
  EMFILE: "cannot be opened: too many files are open",
};

export function fileProblem(path: string, error: unknown): Error {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return new Error(`${path} ${WORDS[code] ?? `cannot be used: ${message}`}`, { cause: error });
}

// Writes a file on the agent's behalf: instructions about it are asked for first, and what was written is recorded.

export interface Writing {
  place: FilePlace;
  bytes: Buffer;
  /** The same as text, without a mark at its beginning. */
  content: string;
  /** What stands there now, to be put back when it cannot be replaced. */
  before?: Buffer | undefined;
}

/** Gives what the model should hear besides: which instructions speak about a new file. */
export async function writeText(
  { place, bytes, content, before }: Writing,
  { session, cwd }: ToolContext,
): Promise<string> {
  const { path, realPath, exists } = place;
  const { unsaid } = await session.beforeWrite(path);
  try {
    if (!exists) await mkdir(dirname(realPath), { recursive: true });
    await writeFile(realPath, bytes);
  } catch (error) {
    await restore(place, before);
    throw fileProblem(path, error);
  }
  markRead(session, realPath);
  await session.record({ type: "file_written", path, content });
  if (exists || unsaid.length === 0) return "";
  const names = unsaid.map((file) => shown(file.path, cwd)).join(", ");
  return ` Instructions speak about this place: ${names}. They come with the next turn; check then that the file follows them.`;
}

/** A full disk must not cost what was there before. */
async function restore({ realPath, exists }: FilePlace, before: Buffer | undefined): Promise<void> {
  try {
    if (!exists) await rm(realPath, { force: true });
    else if (before !== undefined) await writeFile(realPath, before);
  } catch {
    // The failure itself is told.
  }
}

// Which files an agent has read or written itself: only those may it change.

const readFiles = new WeakMap<Session, Set<string>>();

export function markRead(session: Session, realPath: string): void {
  const paths = readFiles.get(session) ?? new Set();
  readFiles.set(session, paths.add(realPath));
}

/** Throws, in words for the model, where it would change what it does not know. What it was shown counts as read. */
export async function requireRead(
  session: Session,
  { path, realPath }: { path: string; realPath: string },
): Promise<void> {
  if (readFiles.get(session)?.has(realPath) || (await session.hasSeen(realPath))) return;
  throw new Error(`${path} was not read in this session: Read it first, then change it`);
}
