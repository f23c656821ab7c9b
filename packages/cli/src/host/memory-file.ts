// A text of the user's that the agent has at hand all the time: told at the start, and again when the file changes.

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Session } from "sotto";

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
        const content = await read(path);
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

async function read(path: string): Promise<string> {
  // A pipe that nobody writes to must not hold up the turn.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error(`${path} is no file`);
    if (stat.size > MOST_BYTES)
      throw new Error(`${path} has ${stat.size} bytes, ${MOST_BYTES} are told at the most`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
