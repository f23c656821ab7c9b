// Several processes on one store: each one-shot is said by one of them, once, however they die.

import { expect, it } from "vitest";
import { processStorm } from "./process-storm.ts";

const SECONDS = Number(process.env.SOTTO_PROCESS_SECONDS ?? 60);
const LIMIT_MS = (SECONDS + 600) * 1000;
const seed = Number(process.env.SOTTO_FAULT_SEED ?? 1);

it.each([
  ["one session", ["shared"]],
  ["several sessions", ["one", "two", "three"]],
])(
  "AC-38: eight processes on one store and %s, killed at random, lose nothing and say nothing twice",
  async (_, sessions) => {
    const report = await processStorm({ seed, seconds: SECONDS, processes: 8, sessions });
    expect(report.problems).toEqual([]);
    // Low enough for a machine that is busy elsewhere.
    expect(report.kills).toBeGreaterThan(SECONDS / 6);
    expect(report.acknowledged).toBeGreaterThan(SECONDS / 3);
    expect(report.delivered).toBeGreaterThanOrEqual(report.acknowledged);
    console.log(`${sessions.length} sessions, seed ${seed}: ${JSON.stringify(report)}`);
  },
  LIMIT_MS,
);
