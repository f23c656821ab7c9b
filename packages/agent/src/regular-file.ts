// The only way these programs open files to read: regular files only, without blocking, up to a limit. A pipe without a
// writer would hang the program, and a device would fill its memory.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

export interface RegularFile {
  handle: FileHandle;
  stats: Stats;
}

const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Thrown when a file is not regular or too large; system errors are passed on unchanged. */
export class UnsuitableFile extends Error {
  readonly isDirectory: boolean;
  readonly isTooLarge: boolean;

  constructor(message: string, { isDirectory = false, isTooLarge = false } = {}) {
    super(message);
    this.isDirectory = isDirectory;
    this.isTooLarge = isTooLarge;
  }
}

/** The caller closes the handle. `noFollow`: fails when the path is a symbolic link. */
export async function openRegular(path: string, { noFollow = false } = {}): Promise<RegularFile> {
  // Check first: opening a device can have effects.
  requireRegular(path, await stat(path));
  const handle = await open(path, noFollow ? FLAGS | (constants.O_NOFOLLOW ?? 0) : FLAGS).catch((error) => {
    throw asUnsuitable(path, error);
  });
  try {
    const stats = await handle.stat();
    requireRegular(path, stats);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads the whole file as UTF-8; rejects when it is larger than `most` bytes. */
export async function readRegular(path: string, most: number): Promise<string> {
  const { handle, stats } = await openRegular(path);
  try {
    return (await readHandle(path, { handle, stats }, most)).toString("utf8");
  } finally {
    await handle.close();
  }
}

/** Reads all of an open file; rejects when it is larger than `most` bytes. */
export async function readHandle(
  path: string,
  { handle, stats }: RegularFile,
  most: number,
): Promise<Buffer> {
  const buffer = roomFor(path, stats, most);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  throw new UnsuitableFile(`${path} changed while it was being read`);
}

/** Reads the first bytes as UTF-8. */
export async function readBeginning(path: string, bytes: number): Promise<string> {
  const { handle } = await openRegular(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Like `readRegular`, but synchronous and as bytes. Ignores what is appended meanwhile. */
export function readRegularSync(path: string, most: number): Buffer {
  return withRegularSync(path, (descriptor, stats) => {
    const buffer = roomFor(path, stats, most);
    let length = 0;
    while (length < stats.size) {
      const bytesRead = readSync(descriptor, buffer, length, stats.size - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  });
}

/** Reads the last bytes. */
export function readEndSync(path: string, bytes: number): Buffer {
  return withRegularSync(path, (descriptor, { size }) => {
    const end = Buffer.alloc(Math.min(size, bytes));
    return end.subarray(0, readSync(descriptor, end, 0, end.length, size - end.length));
  });
}

function withRegularSync<Answer>(path: string, look: (descriptor: number, stats: Stats) => Answer): Answer {
  requireRegular(path, statSync(path));
  let descriptor: number;
  try {
    descriptor = openSync(path, FLAGS);
  } catch (error) {
    throw asUnsuitable(path, error);
  }
  try {
    const stats = fstatSync(descriptor);
    requireRegular(path, stats);
    return look(descriptor, stats);
  } finally {
    closeSync(descriptor);
  }
}

/** One byte more than the file has, to detect that it grows. */
function roomFor(path: string, { size }: Stats, most: number): Buffer {
  if (size > most)
    throw new UnsuitableFile(`${path} is too large: ${size} bytes; the limit is ${most}`, {
      isTooLarge: true,
    });
  return Buffer.alloc(size + 1);
}

function requireRegular(path: string, stats: Stats): void {
  if (stats.isDirectory()) throw new UnsuitableFile(`${path} is a directory`, { isDirectory: true });
  if (!stats.isFile()) throw notRegular(path);
}

/** Sockets and some devices fail with these codes. */
function asUnsuitable(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENXIO" || code === "ENODEV" ? notRegular(path) : error;
}

function notRegular(path: string): UnsuitableFile {
  return new UnsuitableFile(`${path} is not a regular file but a pipe, a socket or a device`);
}
