// Ctrl-C during long work: what is under way is finished, what is next is not begun.

import process from "node:process";
import { CliError } from "../../../agent/src/terminal/failure.ts";

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
