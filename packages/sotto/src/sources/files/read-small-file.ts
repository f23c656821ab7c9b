// A file read without trusting what it is: regular files only, opened without waiting, bounded, with its real path.

import * as fileSystem from "node:fs/promises";
import { readOn } from "./bytes.ts";
import { openPath } from "./safe-open.ts";

export type SmallFile =
  | { kind: "text"; path: string; realPath: string; text: string }
  | { kind: "absent" }
  | { kind: "unreadable"; path: string; why: string };

export type BoundedBytes =
  /** `truncated`: there is more than was asked for. */
  | { kind: "bytes"; realPath: string; bytes: Uint8Array; truncated: boolean }
  | Exclude<SmallFile, { kind: "text" }>;

export const MOST_BYTES = 256 * 1024;

/** All of a text in UTF-8. */
export async function readSmallFile(path: string, maxBytes = MOST_BYTES): Promise<SmallFile> {
  const read = await readBounded(path, maxBytes);
  if (read.kind !== "bytes") return read;
  if (read.truncated) return { kind: "unreadable", path, why: `it is larger than ${maxBytes} bytes` };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(read.bytes);
    return { kind: "text", path, realPath: read.realPath, text };
  } catch {
    return { kind: "unreadable", path, why: "it is not UTF-8 text" };
  }
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

function words(refusal: { kind: string; what?: string; why?: string }): string {
  return refusal.what === undefined ? (refusal.why ?? refusal.kind) : `it is ${refusal.what}`;
}
