// Writes to stdout: resolves when the text is out, and a closed pipe is an error, not a crash.

import process from "node:process";
import { CLOSED_PIPE, failed, fileProblem } from "sotto-agent/terminal";

let listening = false;
const onClosed = new Set<() => void>();

/** Calls `stop` when stdout is closed, for code that does not write through `write`. Returns a function that unregisters it. */
export function onClosedOutput(stop: () => void): () => void {
  listen();
  onClosed.add(stop);
  return () => onClosed.delete(stop);
}

/** Without a listener, an error of the stream would end the process. */
function listen(): void {
  if (listening) return;
  listening = true;
  process.stdout.on("error", () => {
    for (const stop of onClosed) stop();
  });
}

/** Resolves when the text is written; rejects with `closed_pipe` if the reader is gone. */
export function write(text: string): Promise<void> {
  listen();
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error == null) resolve();
      else if ((error as NodeJS.ErrnoException).code === "EPIPE") reject(failed(error.message, CLOSED_PIPE));
      else reject(failed(fileProblem("the output", error), "output_failed"));
    });
  });
}

export function writeLine(text = ""): Promise<void> {
  return write(`${text}\n`);
}

export function writeJson(value: unknown): Promise<void> {
  return write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints a message to stderr. */
export function note(text: string): void {
  process.stderr.write(`sotto: ${text}\n`);
}
