// What a stream brings, up to a limit: the rest is counted and let go, so that nothing blocks and nothing piles up.

import type { Readable } from "node:stream";

export interface Collected {
  /** The first line, once it is whole; never, where none fits into what is kept. */
  firstLine: Promise<string>;
  ended: Promise<void>;
  length(): number;
  kept(): Uint8Array;
}

export function collect(stream: Readable, most: number): Collected {
  const chunks: Buffer[] = [];
  let length = 0;
  let room = most;
  let hasLine = false;
  let tellLine: (line: string) => void;
  const firstLine = new Promise<string>((resolve) => {
    tellLine = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    stream.once("close", resolve).once("error", () => resolve());
  });
  stream.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    room -= kept.length;
    chunks.push(kept);
    if (hasLine || !kept.includes(10)) return;
    hasLine = true;
    const all = Buffer.concat(chunks);
    tellLine(all.subarray(0, all.indexOf(10)).toString("utf8"));
  });
  return { firstLine, ended, length: () => length, kept: () => Buffer.concat(chunks) };
}
