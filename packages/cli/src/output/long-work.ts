// How far long work is, on a terminal: one line that is written over, and gone at the end.

import process from "node:process";
import { CliError } from "sotto-agent/terminal";

export interface Progress {
  at(words: string): void;
  end(): void;
}

const EVERY_MS = 100;
// What is over sooner needs no word.
const SILENT_MS = 500;

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (stream.isTTY !== true) return { at: () => undefined, end: () => undefined };
  let next = performance.now() + SILENT_MS;
  let shown = false;
  return {
    at(words) {
      const now = performance.now();
      if (now < next) return;
      next = now + EVERY_MS;
      shown = true;
      stream.write(`\r\u001b[K${words.slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`);
    },
    end() {
      if (shown) stream.write("\r\u001b[K");
    },
  };
}

// Ctrl-C during long work: what is under way is finished, what is next is not begun.

export interface Interruption {
  /** Between two steps: ends the work where it was asked to. */
  check(done: () => string): void;
}

export async function interruptible<T>(work: (interruption: Interruption) => Promise<T>): Promise<T> {
  let asked = false;
  const ask = () => {
    asked = true;
  };
  process.once("SIGINT", ask).once("SIGTERM", ask);
  try {
    return await work({
      check(done) {
        if (asked) throw new CliError({ exitCode: 130, code: "interrupted", message: `ended: ${done()}` });
      },
    });
  } finally {
    process.off("SIGINT", ask).off("SIGTERM", ask);
  }
}
