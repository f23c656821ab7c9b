// Makes a change of a file real, whole or not at all: written aside, then put in place, with the mode it had.

import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { failed } from "../../../agent/src/terminal/failure.ts";
import type { FileChange } from "./plan.ts";
import { readSettings } from "./read-settings.ts";

/** Why it cannot be made; asked for all before any is made. */
export function changeProblem({ path, realPath, before }: FileChange): string | undefined {
  const now = readSettings(path);
  if ("problem" in now) return now.problem;
  if (now.text !== before || now.realPath !== realPath)
    return `${path} has changed meanwhile; nothing is written, run it again`;
  // Root may write it all the same, but whoever took the bits away meant it.
  if (before !== undefined && (statSync(realPath).mode & 0o222) === 0) return `${path} is read-only`;
  return undefined;
}

/** The directories it would make, the outermost first. */
export function missingDirectories(path: string): string[] {
  const directory = dirname(path);
  return existsSync(directory) ? [] : [...missingDirectories(directory), directory];
}

export function writeChange(change: FileChange): void {
  const problem = changeProblem(change);
  if (problem !== undefined) throw failed(problem, "not_written");
  const { path, realPath, before, after } = change;
  try {
    if (after === undefined) rmSync(realPath);
    else {
      mkdirSync(dirname(realPath), { recursive: true });
      replace(realPath, after, before === undefined ? undefined : statSync(realPath).mode & 0o7777);
    }
  } catch (error) {
    throw failed(`${path} cannot be written: ${(error as Error).message}`, "not_written");
  }
}

/** Those that hold something by now stay. */
export function removeDirectories(directories: readonly string[]): void {
  for (const directory of directories.toReversed())
    try {
      rmdirSync(directory);
    } catch {
      return;
    }
}

function replace(path: string, text: string, mode: number | undefined): void {
  const aside = join(dirname(path), `.sotto-init-${process.pid}.tmp`);
  try {
    const file = openSync(aside, "wx");
    try {
      writeFileSync(file, text);
      if (mode !== undefined) fchmodSync(file, mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}
