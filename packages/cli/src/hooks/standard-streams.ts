// stdin and stdout of a call, without the streams: those take longer to load than the text to read.

import { readSync, writeSync } from "node:fs";

const CHUNK = 64 * 1024;
const PAUSE_MS = 5;

/** All of stdin, or up to the end of a JSON object, where nobody closes it. */
export function readInput(descriptor = 0): string {
  const chunks: Buffer[] = [];
  const chunk = Buffer.allocUnsafe(CHUNK);
  const hasEnded = createObjectEnd();
  for (;;) {
    const length = attempt(() => readSync(descriptor, chunk, 0, CHUNK, null));
    if (length === 0) break;
    chunks.push(Buffer.from(chunk.subarray(0, length)));
    if (hasEnded(chunk, length)) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Whether a JSON object has ended in these bytes. Looks at each once: others write in small pieces. */
function createObjectEnd(): (bytes: Uint8Array, length: number) => boolean {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  return (bytes, length) => {
    for (let at = 0; at < length; at++) {
      const byte = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isText = !isText;
      else if (isText) isEscaped = byte === BACKSLASH;
      else if (byte === OPEN) depth += 1;
      else if (byte === CLOSE) depth -= 1;
      if (depth === 0 && byte === CLOSE && !isText) return true;
    }
    return false;
  };
}

/** Returns when the text has left; throws where nobody reads any more. */
export function writeOutput(text: string, descriptor = 1): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += attempt(() => writeSync(descriptor, bytes, at));
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
