// Progress and interruption of long work. Progress is one line on a terminal, rewritten and removed at the end.

import process from "node:process";
import { ProgramError } from "sotto-agent/terminal";

export interface Progress {
  at(words: string): void;
  end(): void;
}

const EVERY_MS = 100;
// Shorter work shows no progress.
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

const CELLS = 20;

/** How much is done, as a bar and in percent, to begin a line of progress with. */
export function bar(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.floor(share * CELLS);
  return `${"█".repeat(full)}${"░".repeat(CELLS - full)} ${Math.floor(share * 100)}%`;
}

export interface Interruption {
  /** Call between two steps: throws after Ctrl-C, with what was done so far. */
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
        if (asked)
          throw new ProgramError({ exitCode: 130, code: "interrupted", message: `interrupted: ${done()}` });
      },
    });
  } finally {
    process.off("SIGINT", ask).off("SIGTERM", ask);
  }
}
