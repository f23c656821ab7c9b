// An agent's own transcript: whether it holds what the agent was given, when nothing else tells.

import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

// What was said last stands near the end.
const TAIL_BYTES = 1 << 20;

// What is longer may have been cut by the agent's limit.
const PROBE = 400;

/** Whether the end of a transcript holds a text, as JSON writes it; angle brackets may be written as entities. */
export function inTranscript(path: string | undefined): (text: string) => boolean {
  let tail: string | undefined;
  return (text) => {
    tail ??= path === undefined ? "" : tailOf(path).replaceAll("&lt;", "<").replaceAll("&gt;", ">");
    return text !== "" && tail.includes(JSON.stringify(text.slice(0, PROBE).toWellFormed()).slice(1, -1));
  };
}

/** Empty where there is none, or it cannot be read: then nothing is told. */
function tailOf(path: string): string {
  let file: number | undefined;
  try {
    if (!statSync(path).isFile()) return "";
    file = openSync(path, "r");
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, tail, 0, tail.length, size - tail.length);
    return tail.toString("utf8");
  } catch {
    return "";
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
