// Text in a file that never grows past a limit: the latest part is kept, what was before it is counted.

import { type FileHandle, open, rename } from "node:fs/promises";
import { openRegular, readHandle } from "../regular-file.ts";

export interface BoundedFile {
  /** Never rejects: what could not be written is told by `read`. */
  append(text: string): Promise<void>;
  /** What was written from there on, with a word about what is no longer kept, and where it ends. */
  read(from: number): Promise<{ text: string; end: number }>;
  close(): Promise<void>;
}

const MOST_BYTES = 4 * 1024 * 1024;

/** Rejects where there is such a file already. Two parts, each of half the limit: the older one is given up whole. */
export async function createBoundedFile(path: string, most = MOST_BYTES): Promise<BoundedFile> {
  const olderPath = `${path}.older`;
  let handle: FileHandle = await open(path, "wx", 0o600);
  let older: number | undefined;
  let start = 0;
  let end = 0;
  let problem: string | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };

  const turnOver = async () => {
    await handle.close();
    await rename(path, olderPath);
    older = start;
    start = end;
    handle = await open(path, "w", 0o600);
  };
  const write = async (text: string) => {
    const bytes = Buffer.from(text.slice(-most / 8));
    if (end > start && end - start + bytes.length > most / 2) await turnOver();
    await handle.write(bytes);
    end += bytes.length;
  };

  return {
    append: (text) =>
      inTurn(() => write(text)).catch((error: NodeJS.ErrnoException) => {
        problem = error.code === "ENOSPC" ? "the disk is full" : error.message;
      }),
    read: (from) =>
      inTurn(async () => {
        const parts: string[] = [];
        const first = Math.max(from, older ?? start);
        if (first > from) parts.push(`[${first - from} bytes are no longer kept]\n`);
        if (first < start) parts.push(await slice(olderPath, first - (older ?? start), most));
        if (first < end) parts.push(await slice(path, Math.max(0, first - start), most));
        if (problem !== undefined) parts.push(`\n[some of the output could not be kept: ${problem}]`);
        return { text: parts.join(""), end };
      }),
    close: () => inTurn(() => handle.close()).catch(() => undefined),
  };
}

async function slice(path: string, from: number, most: number): Promise<string> {
  const file = await openRegular(path, { noFollow: true });
  try {
    return (await readHandle(path, file, most)).subarray(from).toString("utf8");
  } finally {
    await file.handle.close();
  }
}
