// The pace of the demo: on a terminal it leaves time to read, and any key goes on at once.

import { setTimeout as after } from "node:timers/promises";

export interface Pace {
  /** So much has been written that somebody may want to read. */
  wrote(characters: number): void;
  /** Time to read it. */
  rest(): Promise<void>;
  close(): void;
}

export interface PaceOptions {
  input: Pick<NodeJS.ReadStream, "isTTY" | "setRawMode" | "on" | "off" | "resume" | "pause">;
  isOn: boolean;
  signal: AbortSignal;
  /** Ctrl-C: while keys are read one by one, the terminal makes no signal of it. */
  onInterrupt(): void;
}

// About as fast as people read what they have not seen before.
const MS_PER_CHARACTER = 16;
const SHORTEST_MS = 600;
const LONGEST_MS = 9000;
const CTRL_C = "\u0003";

export const noPace: Pace = { wrote: () => undefined, rest: async () => undefined, close: () => undefined };

export function createPace({ input, isOn, signal, onInterrupt }: PaceOptions): Pace {
  if (!isOn) return noPace;
  let unread = 0;
  let resting = new AbortController();
  const onKey = (key: Buffer) => (key.toString().includes(CTRL_C) ? onInterrupt() : resting.abort());
  if (input.isTTY) {
    input.setRawMode(true);
    input.on("data", onKey).resume();
  }
  return {
    wrote(characters) {
      unread += characters;
    },
    async rest() {
      const ms = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, unread * MS_PER_CHARACTER));
      unread = 0;
      resting = new AbortController();
      await after(ms, undefined, { signal: AbortSignal.any([signal, resting.signal]) }).catch(
        () => undefined,
      );
    },
    close() {
      if (!input.isTTY) return;
      input.off("data", onKey).pause();
      input.setRawMode(false);
    },
  };
}
