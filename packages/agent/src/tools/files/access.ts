// File access for tools: resolves paths, checks permissions, and reads and writes files.

import { realpathSync } from "node:fs";
import { lstat, realpath, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Session } from "sotto";
import { looksSecret, makeDirectory } from "sotto/internal";
import { openRegular, type RegularFile, readHandle, UnsuitableFile } from "../../regular-file.ts";
import { fileWords } from "../../terminal/file-problem.ts";
import type { ToolContext } from "../tool.ts";
import { createReadRules } from "./denied.ts";
import { readingsOf } from "./readings.ts";

export interface FilePlace {
  /** Absolute, links not resolved. */
  path: string;
  realPath: string;
  exists: boolean;
}

export type AgentFileAccess = Pick<ToolContext, "cwd" | "extraDirectories" | "denyRead">;

/** Throws, with a message for the model, when the agent may not access the path. */
export async function locate(given: string, access: AgentFileAccess): Promise<FilePlace> {
  if (given.includes("\0")) throw new Error("a path cannot contain a NUL character");
  const path = absolute(given, access.cwd);
  const place = await realPlace(path);
  const roots = await realRoots(access);
  if (!roots.some((root) => isInside(place.realPath, root))) throw new Error(outside(path, place, access));
  if (createReadRules(access)(path)) throw new Error(`${path} may not be read: the user denied it`);
  return place;
}

/** Like `locate`, for writing. */
export async function locateForWriting(given: string, access: AgentFileAccess): Promise<FilePlace> {
  const place = await locate(given, access);
  // Git runs hooks and settings in there as programs.
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

/** Relative inside cwd, otherwise absolute. */
export function displayPath(path: string, cwd: string): string {
  return path !== cwd && isInside(path, cwd) ? relative(cwd, path) : path;
}

export async function realRoots({ cwd, extraDirectories }: AgentFileAccess): Promise<string[]> {
  const roots = [cwd, ...extraDirectories.map((directory) => absolute(directory, cwd))];
  return Promise.all(roots.map((root) => realpath(root).catch(() => root)));
}

/** For a new file, resolves its nearest existing directory. */
async function realPlace(path: string): Promise<FilePlace> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      const real = await realpath(at);
      return { path, realPath: join(real, ...missing), exists: missing.length === 0 };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileProblem(path, error);
    }
    // Writing through a dangling link would create its target.
    if (await isThere(at)) throw new Error(`${at} is a dangling link`);
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
  return `${path} ${leads} outside ${cwd}: only the project and directories given with --add-dir are allowed`;
}

// Opening and reading.

export async function openFile({ path, realPath, exists }: FilePlace): Promise<RegularFile> {
  if (!exists) throw new Error(`${path} does not exist`);
  try {
    // The path was resolved before: a link there now appeared in between.
    return await openRegular(realPath, { noFollow: true });
  } catch (error) {
    if (!(error instanceof UnsuitableFile)) throw fileProblem(path, error);
    throw new Error(
      error.isDirectory
        ? `${path} is a directory: list it with Glob, or with ls in Bash`
        : error.message.replace(realPath, () => path),
    );
  }
}

/** Reads the whole file; throws when it is larger than `most` bytes. */
export async function readWhole(place: FilePlace, most: number): Promise<Buffer> {
  const file = await openFile(place);
  try {
    return await readHandle(place.path, file, most);
  } finally {
    await file.handle.close();
  }
}

// Files that look secret are shown only if the user allows it.

export const SECRET_QUESTION = {
  detail: "This file looks like it contains secrets. The model would read it.",
  allowedBy: "--permission-mode all",
  always: "every file that looks secret, with this tool",
};

/** By its name and its real path. */
export function isSecret(given: string, cwd: string): boolean {
  return readingsOf(given, cwd).some((path) => {
    if (looksSecret(path)) return true;
    try {
      return looksSecret(realpathSync(path));
    } catch {
      return false;
    }
  });
}

// File system errors as readable messages for the model.

export function fileProblem(path: string, error: unknown): Error {
  return new Error(`${path} ${fileWords(error)}`, { cause: error });
}

// Writing: looks for instructions about the file first, and records what was written.

export interface Writing {
  place: FilePlace;
  bytes: Buffer;
  /** The same as text, without a byte order mark. */
  content: string;
  /** The current content, restored when the write fails. */
  before?: Buffer | undefined;
}

/** Returns a note for the model about instructions for a new file, or an empty text. */
export async function writeText(
  { place, bytes, content, before }: Writing,
  { session, cwd }: ToolContext,
): Promise<string> {
  const { path, realPath, exists } = place;
  const { unsaid } = await session.beforeWrite(path);
  try {
    if (!exists) await makeDirectory(dirname(realPath), 0o777);
    await writeFile(realPath, bytes);
  } catch (error) {
    await restore(place, before);
    throw fileProblem(path, error);
  }
  markRead(session, realPath);
  await session.record({ type: "file_written", path, content });
  if (exists || unsaid.length === 0) return "";
  const names = unsaid.map((file) => displayPath(file.path, cwd)).join(", ");
  return ` There are instructions for this file: ${names}. You get them with the next turn; then check that the file follows them.`;
}

/** Restores the old content, for example after a full disk. */
async function restore({ realPath, exists }: FilePlace, before: Buffer | undefined): Promise<void> {
  try {
    if (!exists) await rm(realPath, { force: true });
    else if (before !== undefined) await writeFile(realPath, before);
  } catch {
    // The write error is reported.
  }
}

// An agent may only change files it has read or written.

const readFiles = new WeakMap<Session, Set<string>>();

export function markRead(session: Session, realPath: string): void {
  const paths = readFiles.get(session) ?? new Set();
  readFiles.set(session, paths.add(realPath));
}

/** Throws, with a message for the model, when the agent has not seen the file. Content in reminders counts. */
export async function requireRead(
  session: Session,
  { path, realPath }: { path: string; realPath: string },
): Promise<void> {
  if (readFiles.get(session)?.has(realPath) || (await session.state()).hasSeen(realPath)) return;
  throw new Error(`${path} has not been read in this session: Read it before you change it`);
}
