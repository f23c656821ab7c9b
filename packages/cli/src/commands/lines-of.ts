// A file line by line. Only a line feed ends a line: JSON may hold any other kind.

import { createReadStream } from "node:fs";
import { failed, wrongUse } from "../../../agent/src/terminal/failure.ts";

export interface Line {
  number: number;
  text: string;
}

/** Empty lines are left out. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  const decode = createDecoder();
  // A long line comes in many pieces: they are put together once.
  let pieces: string[] = [];
  let number = 0;
  for await (const chunk of chunksOf(path)) {
    const [first = "", ...others] = decode(chunk).split("\n");
    pieces.push(first);
    for (const other of others) {
      const text = pieces.join("");
      pieces = [other];
      number += 1;
      if (text.trim() !== "") yield { number, text };
    }
  }
  const text = pieces.join("") + decode();
  if (text.trim() !== "") yield { number: number + 1, text };
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  } catch (error) {
    throw failed(`${path} cannot be read: ${(error as Error).message}`, "input_failed");
  }
}

function createDecoder(): (chunk?: Buffer) => string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return (chunk) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw wrongUse("it is not UTF-8 text");
    }
  };
}
