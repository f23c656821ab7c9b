// Writes to stdout: resolves when the text is out, and a closed pipe is an error, not a crash.

import { fstatSync, readSync, statSync } from "node:fs";
import { devNull } from "node:os";
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

/**
 * Whether stdout was closed from the start. Node then opens the null device in its place, for reading and writing, and all
 * writes succeed; `> /dev/null` can only be written to. A parent that ignores the output in its own call (`stdio: "ignore"`,
 * `subprocess.DEVNULL`) looks the same. Always false on Windows.
 */
export function isClosedOutput(): boolean {
  if ((process.stdout as { fd?: number }).fd !== 1) return false;
  try {
    const output = fstatSync(1);
    if (!output.isCharacterDevice() || output.rdev !== statSync(devNull).rdev) return false;
    readSync(1, new Uint8Array(1));
    return true;
  } catch {
    return false;
  }
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
