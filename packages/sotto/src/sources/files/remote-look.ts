// Looks at files on network mounts through a thread, so that a mount that does not answer stops nobody.

import { stat } from "node:fs/promises";
import { createGate } from "./io-limit.ts";
import { type FileStat, fileStat, refusalOf, type StatOutcome } from "./read-outcome.ts";
import type { Reader } from "./reader.ts";
import type { Ring } from "./round-robin.ts";
import type { Tracked } from "./tracked.ts";

export interface RemoteLook {
  reader: Pick<Reader, "stat">;
  clock(): number;
  signal: AbortSignal | undefined;
  /** Undefined: it is missing. Not called where it cannot be told. */
  found(file: Tracked, stat: FileStat | undefined): void;
}

const LOOKS_A_TURN = 100;
const LIMIT_MS = 250;

// A dead mount keeps a thread for as long as it is dead. So all looks of the process share a door of their own, with
// room for one: whoever comes after is refused at once, and the other readers keep their threads.
const remoteGate = createGate({ room: 1, limitMs: LIMIT_MS });

export const remoteReader: Pick<Reader, "stat"> = {
  stat: (path, { signal } = {}) =>
    remoteGate.run<StatOutcome>({
      task: async () => {
        try {
          return { kind: "file", stat: fileStat(await stat(path)) };
        } catch (error) {
          return refusalOf(error);
        }
      },
      refused: (why) => ({ kind: "unreadable", why }),
      signal,
    }),
};

export async function lookRemotely(files: Ring<Tracked>, { reader, clock, signal, found }: RemoteLook) {
  const from = clock();
  for (let looks = Math.min(LOOKS_A_TURN, files.size); looks > 0; looks--) {
    if (signal?.aborted || clock() - from > LIMIT_MS) return;
    const file = files.next();
    if (file === undefined) return;
    const outcome = await reader.stat(file.path, { signal }).catch(refusalOf);
    // It may have been untracked meanwhile.
    if (file.ring !== files) continue;
    if (outcome.kind === "file" || outcome.kind === "directory") found(file, outcome.stat);
    else if (outcome.kind === "missing" || outcome.kind === "special") found(file, undefined);
  }
}
