// How often properties run: SOTTO_RUNS multiplies it, for longer campaigns than a normal test run.

import process from "node:process";
import fc from "fast-check";

const factor = Number(process.env.SOTTO_RUNS ?? 1);

/** Fixed seeds in the normal run, so that it says the same everywhere; a campaign goes on from them. */
export function runs(count: number, seed = 1): { numRuns: number; seed: number; endOnFailure: true } {
  const campaign = factor === 1 ? 0 : Math.floor(Math.random() * 1_000_000);
  return { numRuns: Math.max(1, Math.round(count * factor)), seed: seed + campaign, endOnFailure: true };
}

/** Seeds of sessions: all else is drawn from them, a failing one is printed. */
export const seeds: fc.Arbitrary<number> = fc.integer({ min: 1, max: 0x7fff_ffff });
