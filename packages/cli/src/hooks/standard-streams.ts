// stdin and stdout of a call, without the streams: those take longer to load than the text to read.

import { readSync, writeSync } from "node:fs";

const CHUNK = 64 * 1024;
const PAUSE_MS = 5;

/** All of stdin, or as much as makes one whole JSON object, where nobody closes it. */
export function readInput(descriptor = 0): string {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const length = attempt(() => readSync(descriptor, chunk, 0, CHUNK, null));
    if (length === 0) break;
    chunks.push(chunk.subarray(0, length));
    if (length < CHUNK && isWhole(Buffer.concat(chunks))) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Returns when the text has left; throws where nobody reads any more. */
export function writeOutput(text: string, descriptor = 1): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += attempt(() => writeSync(descriptor, bytes, at));
}

function isWhole(bytes: Buffer): boolean {
  const text = bytes.toString("utf8").trimEnd();
  if (!text.endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A pipe that does not block says to come again. */
function attempt(work: () => number): number {
  for (;;)
    try {
      return work();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
}
