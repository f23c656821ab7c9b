// Several processes on one store: each one-shot is said by one of them, once, however they die.

import { expect, it } from "vitest";
import { times } from "../support/runs.ts";
import { processStorm } from "./process-storm.ts";

const KILLS = times(120);
const LIMIT_MS = 20 * 60_000;
const seed = Number(process.env.SOTTO_FAULT_SEED ?? 1);

it.each([
  ["one session", ["shared"]],
  ["several sessions", ["one", "two", "three"]],
])(
  "AC-38: eight processes on one store and %s, killed at random, lose nothing and say nothing twice",
  async (_, sessions) => {
    const report = await processStorm({ seed, kills: KILLS, processes: 8, sessions });
    expect(report.problems).toEqual([]);
    expect(report.kills).toBeGreaterThanOrEqual(KILLS);
    // Low enough for a machine on which most die young.
    expect(report.acknowledged).toBeGreaterThan(KILLS / 4);
    expect(report.delivered).toBeGreaterThanOrEqual(report.acknowledged);
    console.log(`${sessions.length} sessions, seed ${seed}: ${JSON.stringify(report)}`);
  },
  LIMIT_MS,
);
