// Opens a regular file without waiting, and nothing else: a FIFO or a device would hang or flood.

import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Place } from "./locate.ts";
import { fileProblem } from "./words.ts";

export interface OpenFile {
  handle: FileHandle;
  stats: Stats;
}

// The real path was asked for before: a link that stands there now was put there in between.
const FLAGS =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0) | (constants.O_NOFOLLOW ?? 0);

export async function openFile({ path, realPath, exists }: Place): Promise<OpenFile> {
  if (!exists) throw new Error(`${path} does not exist`);
  let handle: FileHandle;
  try {
    handle = await open(realPath, FLAGS);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // What sockets and some devices answer.
    if (code === "ENXIO" || code === "ENODEV") throw notRegular(path);
    throw fileProblem(path, error);
  }
  const stats = await handle.stat();
  if (stats.isFile()) return { handle, stats };
  await handle.close();
  if (stats.isDirectory())
    throw new Error(`${path} is a directory: look into it with Glob, or with ls in Bash`);
  throw notRegular(path);
}

/** All of it, up to a limit. */
export async function readWhole(place: Place, most: number): Promise<Buffer> {
  const { handle, stats } = await openFile(place);
  try {
    if (stats.size > most)
      throw new Error(`${place.path} is too large: ${stats.size} bytes, ${most} are allowed`);
    const buffer = Buffer.alloc(Math.min(most, stats.size) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
    }
    throw new Error(`${place.path} grows while it is read`);
  } finally {
    await handle.close();
  }
}

function notRegular(path: string): Error {
  return new Error(`${path} is no regular file: a pipe, a socket or a device`);
}
