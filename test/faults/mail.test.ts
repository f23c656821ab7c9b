// Letters of many processes that are killed at random.

import { expect, it } from "vitest";
import { times } from "../support/runs.ts";
import { mailStorm } from "./mail-storm.ts";

it("AC-38 eight writers and a reader, killed at random: each acknowledged letter is told once", async () => {
  const report = await mailStorm({ seed: 1, writers: 8, letters: times(400) });
  expect(report.problems).toEqual([]);
  expect(report.kills.writers + report.kills.readers).toBeGreaterThan(0);
  expect(report.told).toBeGreaterThanOrEqual(report.acknowledged);
});
