// Reads bytes from an open file: never more than asked for, whatever the file says about its size.

import type { FileHandle } from "node:fs/promises";

export interface ReadSpan {
  /** The size the file claims: a hint for how much room to take, never a promise. */
  size: number;
  maxBytes: number;
  isOver(): boolean;
}

export interface Bytes {
  bytes: Buffer;
  /** There is more behind them. */
  truncated: boolean;
}

// A small file is one call; from a large one, little is read before its kind is known.
const FIRST = 64 * 1024;
const SMALLEST = 4096;
// Between two calls a reader that nobody waits for any more can stop.
const CALL = 256 * 1024;

/** Enough to tell what kind of file it is: all of a small one. */
export async function readStart(handle: FileHandle, span: ReadSpan): Promise<Bytes> {
  return readOn(handle, Buffer.alloc(0), { ...span, maxBytes: Math.min(span.maxBytes, FIRST) });
}

/** All bytes up to the limit, those already read included. */
export async function readOn(handle: FileHandle, start: Buffer, span: ReadSpan): Promise<Bytes> {
  // One byte more than allowed tells whether there is more.
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

/** As `readOn`, but shows the bytes piece by piece and keeps none. */
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
