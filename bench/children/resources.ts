// Tells its parent, when asked, what the process has used. Loaded before a program that knows nothing of it, too.

import process from "node:process";

export interface Resources {
  /** Of the processor, since the start. */
  cpuMs: number;
  /** In use, behind a garbage collection. */
  bytes: number;
}

process.once("disconnect", () => process.exit(0));
process.on("message", (what) => {
  const { user, system } = process.cpuUsage();
  let bytes = 0;
  if (what === "memory") {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    bytes = heapUsed + external;
  }
  const resources: Resources = { cpuMs: (user + system) / 1000, bytes };
  process.send?.(resources);
});
