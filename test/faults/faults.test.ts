// AC-38: one-shots survive kill -9 at every named point, failed calls and failed writes; judged by what the provider got.

import { expect, it } from "vitest";
import { isWhole } from "../support/runs.ts";
import { type KillPoint, killPoints } from "./points.ts";
import { storm } from "./storm.ts";

const KILLS = isWhole ? 510 : 51;
const LEAST_PER_POINT = isWhole ? 5 : 1;
const LEAST_FAULTS = 2 * KILLS - 20;
const LIMIT_MS = 20 * 60_000;

const seed = Number(process.env.SOTTO_FAULT_SEED ?? 1);

it(
  "AC-38: of many faults, half of them kills, none loses a one-shot, says it twice or moves it",
  async () => {
    console.log(`fault seed ${seed} (SOTTO_FAULT_SEED)`);
    const { kills, faults, found, problems, sessions, kept } = await storm({ seed, kills: KILLS });
    expect(problems, `seed ${seed}, files kept in ${kept.join(", ")}`).toEqual([]);

    const killed = sum(kills);
    expect(killed).toBeGreaterThanOrEqual(KILLS);
    expect(killed + sum(faults)).toBeGreaterThanOrEqual(LEAST_FAULTS);
    const rare = killPoints.filter((point: KillPoint) => kills[point] < LEAST_PER_POINT);
    expect(rare).toEqual([]);
    for (const kind of ["call", "source", "store"])
      expect(Object.keys(faults).filter((name) => name.startsWith(kind)).length).toBeGreaterThan(2);
    // The checker has seen something to check.
    expect(found.delivered).toBeGreaterThan(killed / 2);
    expect(found.continued).toBeGreaterThan(killed / 2);
    expect(found.degraded).toBeLessThan(found.requests / 4);
    console.log(
      `${killed} kills, ${sum(faults)} other faults, ${sessions} sessions, ${found.requests} requests, ${found.delivered} one-shots said once`,
    );
  },
  LIMIT_MS,
);

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, one) => total + one, 0);
}
