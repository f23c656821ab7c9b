// Questions at the terminal before something is written or removed.

import process from "node:process";
import { createInterface } from "node:readline/promises";

export interface Questions {
  /** The answer in lower case, or undefined after Ctrl-C or Ctrl-D. */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

export function canAsk(): boolean {
  return process.stdin.isTTY === true;
}

/** Asks on stderr, so that stdout holds only results. */
export function openQuestions(): Questions {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<undefined>((resolve) => reader.once("close", () => resolve(undefined)));
  return {
    async ask(question) {
      const answer = reader.question(question).catch(() => undefined);
      return (await Promise.race([answer, closed]))?.trim().toLowerCase();
    },
    close: () => reader.close(),
  };
}

export async function confirm(question: string): Promise<boolean> {
  const questions = openQuestions();
  try {
    return isYes(await questions.ask(`${question} [y/N] `));
  } finally {
    questions.close();
  }
}

export function isYes(answer: string | undefined): boolean {
  return answer === "y" || answer === "yes";
}
