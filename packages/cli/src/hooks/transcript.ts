// An agent's own transcript: whether it holds what the agent was given, when nothing else tells.

import { readEndSync } from "../../../sotto/src/platform/regular-file.ts";

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
  try {
    return readEndSync(path, TAIL_BYTES).toString("utf8");
  } catch {
    return "";
  }
}
