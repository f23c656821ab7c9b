// Ends a run on a signal: gracefully, or by force after a while.

import process from "node:process";

export interface RunEnding {
  /** Stops the work gracefully; the process ends soon after in any case. */
  stop(signal?: NodeJS.Signals): void;
  /** Call when there is work to stop. Before that, a signal ends the process at once. */
  opened(): void;
  /** Restores the default handling of signals. */
  close(): void;
}

export interface RunEndingOptions {
  signals: readonly NodeJS.Signals[];
  stop(): void;
  /** How long stopping may take. */
  lastMs?: number;
}

// Commands, servers and team mates get a few seconds to end.
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
 * Ends this process and what it has started. `process.exit` would wait for a thread that hangs in the kernel, e.g. on a
 * dead mount; a signal without a listener does not.
 */
export function endNow(signal: NodeJS.Signals): void {
  // Listeners of this event end the process groups.
  process.emit("exit", 130);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
