// How much work something was, on a machine that others use as well.

import process from "node:process";

/** Begins to measure: milliseconds of processor time that this process has taken since. */
export function startEffort(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

/** What the code can do: tries until one took less than this, a few dozen times at most; milliseconds. */
export async function soonerThan(limitMs: number, run: () => Promise<unknown>): Promise<number> {
  for (let left = 30; ; left--) {
    const from = performance.now();
    const failed = await run().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const ms = performance.now() - from;
    // One that took too long may have failed for that reason.
    if (ms >= limitMs && left > 0) continue;
    if (failed !== undefined) throw failed.error;
    return ms;
  }
}
