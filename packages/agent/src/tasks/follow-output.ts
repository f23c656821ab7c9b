// What a process group writes, as text, in the order it comes. A flood is slowed down, not dropped here.

import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { atMost, type ProcessGroup } from "./process-group.ts";

export interface Followed {
  /** Everything that was written has been taken, or nobody waits any longer. */
  drained(): Promise<void>;
}

// Some 40 MB a second: more would keep this process busy with nothing else.
const BURST_BYTES = 4 * 1024 * 1024;
const PAUSE_MS = 100;
// Someone outside the group may hold the other end open for ever.
const DRAIN_MS = 1000;

export function followOutput(
  written: Pick<ProcessGroup, "stdout" | "stderr"> | { streams: readonly Readable[] },
  take: (text: string) => void | Promise<void>,
): Followed {
  const streams = "streams" in written ? written.streams : [written.stdout, written.stderr];
  const all = Promise.allSettled(streams.map((stream) => pump(stream, take)));
  return {
    async drained() {
      await atMost(all, DRAIN_MS);
      for (const stream of streams) stream.destroy();
      await all;
    },
  };
}

async function pump(stream: Readable, take: (text: string) => void | Promise<void>): Promise<void> {
  const decoder = new StringDecoder("utf8");
  let room = BURST_BYTES;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const text = decoder.write(chunk);
    if (text !== "") await take(text);
    room -= chunk.length;
    if (room > 0) continue;
    await delay(PAUSE_MS);
    room = BURST_BYTES;
  }
  const rest = decoder.end();
  if (rest !== "") await take(rest);
}
