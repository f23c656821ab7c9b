// How often properties are tried and storms strike: a twentieth of the given count in `npm test`, the whole of
// it in `npm run test:long`, and SOTTO_RUNS=5 for five times as much.

import process from "node:process";
import fc from "fast-check";

const share = Number(process.env.SOTTO_RUNS || 0.05);

/** Whether this is the whole count: `npm run test:long`. */
export const isWhole: boolean = share >= 1;

export function times(count: number): number {
  return Math.max(1, Math.round(count * share));
}

/** Fixed seeds, so that a run says the same everywhere; one that goes beyond the whole count has others each time. */
export function runs(count: number, seed = 1): { numRuns: number; seed: number; endOnFailure: true } {
  const beyond = share > 1 ? Math.floor(Math.random() * 1_000_000) : 0;
  return { numRuns: times(count), seed: seed + beyond, endOnFailure: true };
}

/** Seeds of sessions: all else is drawn from them, a failing one is printed. */
export const seeds: fc.Arbitrary<number> = fc.integer({ min: 1, max: 0x7fff_ffff });
