// Holds the end of an answer back until its id is in the store: the next request continues from it by that id, and may come
// at once, to another gateway.

import type { IncomingMessage } from "node:http";
import { Transform } from "node:stream";

// The events after which clients go on.
const LAST_EVENT = /"response\.(?:completed|incomplete|failed)"|"message_stop"/u;
const LONGEST_NAME = 32;

interface Keeping {
  /** Undefined as long as the answer has not told its id. */
  kept(): Promise<unknown> | undefined;
  /** A store that takes longer does not keep a client waiting. */
  longestMs: number;
}

/** Undefined if nothing can be held back. */
export function holdEnd({ headers }: IncomingMessage, keeping: Keeping): Transform | undefined {
  const isStream = headers["content-type"]?.includes("text/event-stream") ?? false;
  const isPlain = headers["content-encoding"] === undefined || headers["content-encoding"] === "identity";
  if (isStream) return isPlain ? beforeLastEvent(keeping) : undefined;
  let held: Buffer | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      const before = held;
      held = chunk;
      pass(null, before);
    },
    flush: (pass) => void soon(keeping).then(() => pass(null, held)),
  });
}

/** All other events pass as they come. */
function beforeLastEvent(keeping: Keeping): Transform {
  let end = "";
  return new Transform({
    async transform(chunk: Buffer, _encoding, pass) {
      const text = end + chunk.toString("latin1");
      end = text.slice(-LONGEST_NAME);
      if (!LAST_EVENT.test(text)) return pass(null, chunk);
      await soon(keeping);
      pass(null, chunk);
    },
  });
}

async function soon({ kept, longestMs }: Keeping): Promise<void> {
  const keeping = kept();
  if (keeping === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, longestMs);
  });
  await Promise.race([keeping.catch(() => undefined), late]);
  clearTimeout(timer);
}
