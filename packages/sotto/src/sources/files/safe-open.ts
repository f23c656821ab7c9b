// Opens a path and returns what was really opened, so that a file swapped in between is never read unchecked.

import { isAscii } from "node:buffer";
import { constants, type Stats } from "node:fs";
import type { FileHandle, lstat, open, opendir, readlink, realpath, stat, statfs } from "node:fs/promises";
import * as fileSystem from "node:fs/promises";
import { absolutePath } from "../../platform/paths.ts";
import { type Refusal, specialKind, specialWords } from "./read-outcome.ts";

export interface FileSystem {
  open: typeof open;
  stat: typeof stat;
  lstat: typeof lstat;
  statfs: typeof statfs;
  readlink: typeof readlink;
  realpath: typeof realpath;
  opendir: typeof opendir;
}

export interface Opened {
  kind: "opened";
  handle: FileHandle;
  stats: Stats;
  realPath: string;
  /** A path to what was opened, even if its name leads elsewhere by now. */
  link: string;
}

export interface OpenOptions {
  fileSystem: FileSystem;
  /** Where the kernel lists open descriptors; false if it does not. */
  descriptors: string | false;
}

// Does not block on a FIFO or a lease, and does not take over a terminal. Absent on Windows.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
// A file that is saved by renaming can vanish meanwhile; three times in a row is an attack.
const ATTEMPTS = 3;
const ROUNDS = 3;
const DELETED = " (deleted)";

export async function openPath(path: string, options: OpenOptions): Promise<Opened | Refusal> {
  // Checked before opening, as opening a device can already have effects.
  const special = specialKind(await options.fileSystem.stat(path));
  if (special !== undefined) return { kind: "special", what: special };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const opened = await openOnce(path, options);
    if (opened !== undefined) return opened;
  }
  return { kind: "unreadable", why: "replaced while being opened" };
}

async function openOnce(path: string, options: OpenOptions): Promise<Opened | Refusal | undefined> {
  const { fileSystem, descriptors } = options;
  const name = descriptors === false ? await fileSystem.realpath(path) : path;
  const handle = await fileSystem.open(name, descriptors === false ? FLAGS | NO_FOLLOW : FLAGS);
  let kept = false;
  try {
    const stats = await handle.stat();
    const special = specialKind(stats);
    if (special !== undefined) return { kind: "special", what: special };
    const link = descriptors === false ? name : `${descriptors}/${handle.fd}`;
    const realPath =
      descriptors === false
        ? await stillAt(name, stats, fileSystem)
        : await pathOf(link, stats, fileSystem).catch(() => false as const);
    if (realPath === undefined) return undefined;
    // There is no procfs (some sandboxes).
    if (realPath === false) return openOnce(path, { fileSystem, descriptors: false });
    kept = true;
    return { kind: "opened", handle, stats, realPath: absolutePath(realPath, "/"), link };
  } finally {
    if (!kept) await handle.close().catch(() => {});
  }
}

/** The name of the descriptor according to the kernel; undefined if the file has no name any more. */
async function pathOf(link: string, stats: Stats, fileSystem: FileSystem): Promise<string | undefined> {
  const path = await fileSystem.readlink(link);
  if (!path.startsWith("/")) return undefined;
  if (!path.endsWith(DELETED)) return path;
  // Either the kernel's mark, or part of the name.
  const named = await fileSystem.lstat(path).catch(() => undefined);
  return named !== undefined && isSame(named, stats) ? path : undefined;
}

/**
 * Without help of the kernel: the real path was opened without following a link, and must still be the real path of
 * the same file. Directories above could be swapped back and forth between the calls; checking several times makes
 * that unlikely, not impossible.
 */
async function stillAt(path: string, stats: Stats, fileSystem: FileSystem): Promise<string | undefined> {
  for (let round = 0; round < ROUNDS; round++) {
    if ((await fileSystem.realpath(path)) !== path) return undefined;
    if (!isSame(await fileSystem.lstat(path), stats)) return undefined;
  }
  return path;
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

// Reads a file without assumptions about it: regular files only, without blocking, bounded, with its real path.

export type SmallFile =
  | { kind: "text"; path: string; realPath: string; text: string }
  | { kind: "absent" }
  | { kind: "unreadable"; path: string; why: string };

export type BoundedBytes =
  /** `truncated`: there is more than was asked for. */
  | { kind: "bytes"; realPath: string; bytes: Uint8Array; truncated: boolean }
  | Exclude<SmallFile, { kind: "text" }>;

export const MOST_BYTES = 256 * 1024;

/** A complete UTF-8 text. */
export async function readSmallFile(path: string, maxBytes = MOST_BYTES): Promise<SmallFile> {
  const read = await readBounded(path, maxBytes);
  if (read.kind !== "bytes") return read;
  if (read.truncated) return { kind: "unreadable", path, why: `it is larger than ${maxBytes} bytes` };
  try {
    const text = asciiText(read.bytes) ?? new TextDecoder("utf-8", { fatal: true }).decode(read.bytes);
    return { kind: "text", path, realPath: read.realPath, text };
  } catch {
    return { kind: "unreadable", path, why: "it is not UTF-8 text" };
  }
}

/** Most files have only ASCII: then no decoder has to be loaded and made. */
export function asciiText(bytes: Uint8Array): string | undefined {
  return isAscii(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
    : undefined;
}

/** The beginning of a file, or all of it. */
export async function readBounded(path: string, maxBytes: number): Promise<BoundedBytes> {
  let handle: fileSystem.FileHandle | undefined;
  try {
    const descriptors = process.platform === "linux" ? "/proc/self/fd" : false;
    const opened = await openPath(path, { fileSystem, descriptors });
    if (opened.kind !== "opened") return { kind: "unreadable", path, why: words(opened) };
    ({ handle } = opened);
    if (opened.stats.isDirectory()) return { kind: "unreadable", path, why: "it is a directory" };
    const span = { size: opened.stats.size, maxBytes, isOver: () => false };
    const { bytes, truncated } = await readOn(handle, Buffer.alloc(0), span);
    return { kind: "bytes", realPath: opened.realPath, bytes, truncated };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    return { kind: "unreadable", path, why: code ?? message };
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

function words(refusal: Refusal): string {
  if (refusal.kind === "special") return `it is ${specialWords(refusal.what)}`;
  return refusal.kind === "unreadable" ? refusal.why : refusal.kind;
}

// Reads bytes from an open file: never more than asked for, whatever size it claims.

export interface ReadSpan {
  /** The size that the file claims: only a hint for allocating. */
  size: number;
  maxBytes: number;
  isOver(): boolean;
}

export interface Bytes {
  bytes: Buffer;
  /** There are more bytes. */
  truncated: boolean;
}

// A small file takes one call; of a large one, little is read before its kind is known.
const FIRST = 64 * 1024;
const SMALLEST = 4096;
// Between two calls, reading can be stopped when nobody waits for it.
const CALL = 256 * 1024;

/** Enough to determine the kind of file: all of a small one. */
export async function readStart(handle: FileHandle, span: ReadSpan): Promise<Bytes> {
  return readOn(handle, Buffer.alloc(0), { ...span, maxBytes: Math.min(span.maxBytes, FIRST) });
}

/** All bytes up to the limit, including those already read. */
export async function readOn(handle: FileHandle, start: Buffer, span: ReadSpan): Promise<Bytes> {
  // One more byte shows whether the limit is exceeded.
  const room = span.maxBytes + 1;
  let buffer = start;
  let length = start.length;
  while (length < room && !span.isOver()) {
    if (length === buffer.length) {
      const wanted = Math.max(SMALLEST, span.size + 1, length * 2);
      buffer = grown(buffer, Math.min(room, wanted));
    }
    const asked = Math.min(CALL, buffer.length - length);
    const { bytesRead } = await handle.read(buffer, length, asked, length);
    length += bytesRead;
    if (bytesRead === 0 || (bytesRead < asked && length === span.size)) break;
  }
  return { bytes: buffer.subarray(0, Math.min(length, span.maxBytes)), truncated: length > span.maxBytes };
}

/** Like `readOn`, but passes the bytes on in pieces and keeps none. */
export async function passOn(
  handle: FileHandle,
  start: Buffer,
  span: ReadSpan & { show(bytes: Uint8Array): void },
): Promise<{ truncated: boolean }> {
  span.show(start);
  const buffer = Buffer.allocUnsafeSlow(CALL);
  let length = start.length;
  while (!span.isOver()) {
    const { bytesRead } = await handle.read(buffer, 0, CALL, length);
    if (bytesRead === 0) return { truncated: false };
    const allowed = Math.min(bytesRead, span.maxBytes - length);
    span.show(buffer.subarray(0, allowed));
    length += bytesRead;
    if (length > span.maxBytes) return { truncated: true };
  }
  return { truncated: true };
}

function grown(buffer: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  buffer.copy(larger);
  return larger;
}
