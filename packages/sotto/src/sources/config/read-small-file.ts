// A small file of text, read without trusting what it is: regular files only, bounded, with its real path.

import type { FileHandle } from "node:fs/promises";
import * as fileSystem from "node:fs/promises";
import { readOn } from "../files/bytes.ts";
import { openPath } from "../files/open.ts";

export type SmallFile =
  | { kind: "text"; path: string; realPath: string; text: string }
  | { kind: "absent" }
  | { kind: "unreadable"; path: string; why: string };

const MOST_BYTES = 256 * 1024;

export async function readSmallFile(path: string, mostBytes = MOST_BYTES): Promise<SmallFile> {
  let handle: FileHandle | undefined;
  try {
    const descriptors = process.platform === "linux" ? "/proc/self/fd" : false;
    const opened = await openPath(path, { fileSystem, descriptors });
    if (opened.kind !== "opened") return { kind: "unreadable", path, why: words(opened) };
    ({ handle } = opened);
    if (opened.stats.isDirectory()) return { kind: "unreadable", path, why: "it is a directory" };
    const span = { size: opened.stats.size, maxBytes: mostBytes, isOver: () => false };
    const { bytes, truncated } = await readOn(handle, Buffer.alloc(0), span);
    if (truncated) return { kind: "unreadable", path, why: `it is larger than ${mostBytes} bytes` };
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { kind: "text", path, realPath: opened.realPath, text };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    return { kind: "unreadable", path, why: code === undefined ? "it is not UTF-8 text" : `${code}` };
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

function words(refusal: { kind: string; what?: string; why?: string }): string {
  return refusal.what === undefined ? (refusal.why ?? refusal.kind) : `it is ${refusal.what}`;
}
