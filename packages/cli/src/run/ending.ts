// How a run is ended from outside: in good order where that is quick, and in any case.

import process from "node:process";

export interface RunEnding {
  /** Stops the work in good order; the process ends soon after, whatever still hangs. */
  stop(signal?: NodeJS.Signals): void;
  /** From here on there is something to bring to an end. Before that, a signal ends the process at once. */
  opened(): void;
  /** The run is over: signals do again what they usually do. */
  close(): void;
}

export interface RunEndingOptions {
  /** Those that end the run. */
  signals: readonly NodeJS.Signals[];
  stop(): void;
  /** How long what is stopped may take. */
  lastMs?: number;
}

// A command gets a few seconds to end, and so do servers and team mates.
const LAST_MS = 6000;

export function createRunEnding({ signals, stop, lastMs = LAST_MS }: RunEndingOptions): RunEnding {
  let isOpen = false;
  let last: NodeJS.Timeout | undefined;
  const ending: RunEnding = {
    stop(signal = "SIGTERM") {
      if (!isOpen || last !== undefined) return endNow(signal);
      last = setTimeout(endNow, lastMs, signal).unref();
      stop();
    },
    opened() {
      isOpen = true;
    },
    close() {
      for (const signal of signals) process.off(signal, ending.stop);
    },
  };
  for (const signal of signals) process.on(signal, ending.stop);
  return ending;
}

/**
 * Ends this process and what it has started. `process.exit` would wait for a thread that hangs in the kernel, on a dead
 * mount for example; a signal that nobody listens to waits for nothing.
 */
export function endNow(signal: NodeJS.Signals): void {
  // Process groups are ended by who listens to this.
  process.emit("exit", 130);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
