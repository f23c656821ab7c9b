// A text of the user's that the agent has at hand all the time: told at the start, and again when the file changes.

import type { Session } from "sotto";
import { readRegular } from "../../sotto/src/platform/regular-file.ts";

export interface MemoryFile {
  /** Before a turn: what it says now is recorded where it is new. */
  look(): Promise<void>;
}

const MOST_BYTES = 200_000;

export function createMemoryFile(
  path: string,
  { session, onProblem }: { session: Session; onProblem(text: string): void },
): MemoryFile {
  let last: string | undefined;
  let wrong: string | undefined;
  return {
    async look() {
      try {
        const content = await readRegular(path, MOST_BYTES);
        wrong = undefined;
        if (content === last) return;
        await session.record({ type: "ultramemory_changed", content });
        last = content;
      } catch (error) {
        // Once for each thing that is wrong: what was told before holds.
        const { message } = error as Error;
        if (message !== wrong) onProblem(`--memory-file: ${message}`);
        wrong = message;
      }
    },
  };
}
