// Writing to stdout so that the caller knows when it is out, and a reader that has left is no crash.

import process from "node:process";
import { CLOSED_PIPE, failed } from "sotto-agent/terminal";

let listening = false;
const onClosed = new Set<() => void>();

/** Nobody reads any more: whoever writes on its own, not through `write`, stops then. Gives a function that ends it. */
export function onClosedOutput(stop: () => void): () => void {
  listen();
  onClosed.add(stop);
  return () => onClosed.delete(stop);
}

/** Without a listener the stream's own report of an error would end the process. */
function listen(): void {
  if (listening) return;
  listening = true;
  process.stdout.on("error", () => {
    for (const stop of onClosed) stop();
  });
}

/** Resolves when the text has left this process; fails with `closed_pipe` when nobody reads any more. */
export function write(text: string): Promise<void> {
  listen();
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error == null) resolve();
      else if ((error as NodeJS.ErrnoException).code === "EPIPE") reject(failed(error.message, CLOSED_PIPE));
      else reject(failed(`the output cannot be written: ${error.message}`, "output_failed"));
    });
  });
}

export function writeLine(text = ""): Promise<void> {
  return write(`${text}\n`);
}

export function writeJson(value: unknown): Promise<void> {
  return write(`${JSON.stringify(value, null, 2)}\n`);
}

/** A word to the person at the terminal, beside the output. */
export function note(text: string): void {
  process.stderr.write(`sotto: ${text}\n`);
}
