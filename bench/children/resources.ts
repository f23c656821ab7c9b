// Tells its parent, when asked, what the process has used. Loaded before a program that knows nothing of it, too.

import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";

export interface Resources {
  /** Of the processor, since the start. */
  cpuMs: number;
  /** In use, behind a garbage collection. */
  bytes: number;
}

process.once("disconnect", () => process.exit(0));
process.on("message", async (what) => {
  const { user, system } = process.cpuUsage();
  let bytes = 0;
  if (what === "memory") {
    // What sockets and buffers held goes behind the first collection.
    for (let times = 0; times < 3; times++) {
      globalThis.gc?.();
      await pause(100);
    }
    const { heapUsed, external } = process.memoryUsage();
    bytes = heapUsed + external;
  }
  const resources: Resources = { cpuMs: (user + system) / 1000, bytes };
  process.send?.(resources);
});
