// The question before anything is written, for each change or for all that are left.

import process from "node:process";
import { createInterface } from "node:readline/promises";

/** What was agreed to; nothing at all after Ctrl-C, Ctrl-D or `q`, whatever was said before. */
export async function ask<T extends { title: string }>(items: readonly T[], verb: string): Promise<T[]> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<undefined>((resolve) => reader.once("close", () => resolve(undefined)));
  const agreed: T[] = [];
  try {
    for (const [index, item] of items.entries()) {
      const isLast = index === items.length - 1;
      const choices = isLast ? "[y/N]" : "[y/N, a: this and all others, q: none]";
      const question = reader.question(`${verb} ${item.title}? ${choices} `).catch(() => undefined);
      const answer = (await Promise.race([question, closed]))?.trim().toLowerCase();
      if (answer === undefined || /^q(?:uit)?$/u.test(answer)) return [];
      if (/^a(?:ll)?$/u.test(answer)) return [...agreed, ...items.slice(index)];
      if (/^y(?:es)?$/u.test(answer)) agreed.push(item);
    }
    return agreed;
  } finally {
    reader.close();
  }
}
