// File system errors in plain words: which file, what is wrong with it, and what to do about it.

import { existsSync } from "node:fs";
import { dirname } from "node:path";

/** What is wrong with the file, and what a person can do. */
const WORDS: Readonly<Record<string, readonly [problem: string, fix: string]>> = {
  ENOENT: ["does not exist", "correct the path"],
  EACCES: ["cannot be opened: permission denied", "give this user access to it and its directories"],
  EPERM: ["cannot be opened: permission denied", "give this user access to it and its directories"],
  EROFS: ["cannot be written: the file system is read-only", "choose a place that can be written"],
  ENOSPC: ["cannot be written: the disk is full", "free some space"],
  EDQUOT: ["cannot be written: the disk quota is used up", "free some space, or raise the quota"],
  EFBIG: ["cannot be written: it would be larger than allowed", "raise the limit (ulimit -f)"],
  EIO: ["cannot be used: its disk reports an error", "check the disk, or choose another place"],
  ENOTDIR: ["cannot be reached: a part of its path is a file, not a directory", "correct the path"],
  ENAMETOOLONG: ["has a name that is too long", "use a shorter path"],
  ELOOP: ["cannot be reached: its links lead in a circle", "correct the links"],
  EISDIR: ["is a directory", "name a file"],
  EEXIST: ["already exists", "move it away, or choose another place"],
  ENOTEMPTY: ["is not empty", "move away what is in it"],
  EBUSY: ["is in use", "end the program that uses it"],
  ETXTBSY: ["is in use", "end the program that uses it"],
  EXDEV: ["cannot be moved to another file system", "choose a place on the same one"],
  EMFILE: ["cannot be opened: too many files are open", "end some programs, or raise the limit (ulimit -n)"],
  ENFILE: ["cannot be opened: too many files are open", "end some programs, or raise the limit (ulimit -n)"],
};

/** What is wrong with a file, to follow its name. */
export function fileWords(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return WORDS[code]?.[0] ?? `cannot be used: ${message}`;
}

/** A sentence with the file, the problem and the fix; the message of anything that is no file system error. */
export function fileProblem(path: string, error: unknown): string {
  const { code = "", syscall, message } = error as NodeJS.ErrnoException;
  const [problem, fix] = WORDS[code] ?? [];
  if (syscall === undefined) return message;
  if (problem === undefined) return `${path} ${fileWords(error)}`;
  // Of a file that is to be made, it is not the file that is missing.
  if (code === "ENOENT" && !existsSync(dirname(path)))
    return `${path} cannot be reached: there is no directory ${dirname(path)}; ${fix}`;
  if (/^(?:mkdir|mkdtemp|link|symlink|rename)$/u.test(syscall) && /^(?:EACCES|EPERM)$/u.test(code))
    return `${path} cannot be created: permission denied; give this user access to ${dirname(path)}, or choose another place`;
  return `${path} ${problem}; ${fix}`;
}

/** The same if it says by itself which file it is about. */
export function ownFileProblem(thrown: unknown): string | undefined {
  const { code, path, syscall, dest } = (thrown ?? {}) as NodeJS.ErrnoException & { dest?: unknown };
  // Those of programs and sockets have a path as well.
  if (syscall === undefined || /^(?:spawn|connect|listen|bind)/u.test(syscall)) return undefined;
  if (code === undefined || !Object.hasOwn(WORDS, code)) return undefined;
  // A write to an open file does not know which one it is.
  const file = typeof dest === "string" ? dest : (path ?? (syscall === "write" ? "a file" : undefined));
  return file === undefined ? undefined : fileProblem(file, thrown);
}
