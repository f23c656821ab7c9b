// Holds the end of an answer back until what the next request builds on is in the store: that one may come at once, to
// another gateway, and does not repeat the answer if the provider keeps it.

import type { IncomingMessage } from "node:http";
import { Transform } from "node:stream";

/** The events after which clients go on. */
export const LAST_EVENT = /"response\.(?:completed|incomplete|failed)"|"message_stop"/u;
const LONGEST_NAME = 32;
const BLANK_LINE = /\r\r|\r?\n\r?\n/u;

/** Of a stream that has to be decoded: it is read behind what passes by. */
export interface Decoding {
  /** Resolves when all that has passed by is read. */
  caughtUp(): Promise<void>;
  /** Whether its last event was read. */
  isOver(): boolean;
}

interface Keeping {
  /** Called when the answer is whole, as far as clients wait for it. */
  keep(): Promise<unknown>;
  decoding?: Decoding | undefined;
  /** A store that takes longer does not keep a client waiting. */
  longestMs: number;
}

export function holdEnd(answer: IncomingMessage, keeping: Keeping): Transform {
  const isStream = answer.headers["content-type"]?.includes("text/event-stream") ?? false;
  const { decoding } = keeping;
  let keptSoon: Promise<void> | undefined;
  const kept = () => {
    keptSoon ??= soon(keeping);
    return keptSoon;
  };
  let held: Buffer | undefined;
  const isLast = decoding === undefined ? findLastEvent() : () => decodesLast(decoding);
  return new Transform({
    async transform(chunk: Buffer, _encoding, pass) {
      if (isStream) {
        // All other events pass as they come.
        if (await isLast(chunk)) await kept();
        return pass(null, chunk);
      }
      const before = held;
      held = chunk;
      pass(null, before);
    },
    async flush(pass) {
      // Nothing is kept of one that broke off.
      await decoding?.caughtUp();
      if (answer.complete) await kept();
      pass(null, held);
    },
  });
}

/** Tells the chunk with which the last event is whole: clients see none of it before its blank line. */
function findLastEvent(): (chunk: Buffer) => boolean {
  let before = "";
  let hasBegun = false;
  return (chunk) => {
    const text = before + chunk.toString("latin1");
    const at = hasBegun ? 0 : text.search(LAST_EVENT);
    hasBegun = at >= 0;
    before = text.slice(-LONGEST_NAME);
    return hasBegun && BLANK_LINE.test(text.slice(at));
  };
}

async function decodesLast(decoding: Decoding): Promise<boolean> {
  await decoding.caughtUp();
  return decoding.isOver();
}

async function soon({ keep, longestMs }: Keeping): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, longestMs);
  });
  await Promise.race([keep().catch(() => undefined), late]);
  clearTimeout(timer);
}
