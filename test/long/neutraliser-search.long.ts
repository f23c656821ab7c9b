// A search for texts that the neutraliser takes long for: 100 000 candidates, and what came of them at full length.

import { readFileSync } from "node:fs";
import process from "node:process";
import { expect, it } from "vitest";
import { createNeutraliser } from "../../packages/sotto/src/render/neutralise/neutralise.ts";
import { repeated, searchHostile } from "../support/hostile-search.ts";

const MEGABYTE = 1_000_000;

it("AC-39 AC-53 no text found takes 50 times the work of ordinary code", () => {
  const found = searchHostile(100_000, 13);
  const work = { steps: 0 };
  const { text } = createNeutraliser({ onWork: (steps) => (work.steps = steps) });
  const code = repeated(
    readFileSync(new URL("../../node_modules/typescript/lib/typescript.js", import.meta.url), "utf8"),
    MEGABYTE,
  );
  const ordinary = leastTime(() => text(code), 20);
  const steps = work.steps;
  const worst = found.map(({ piece, steps: searched }) => {
    const value = repeated(piece, MEGABYTE);
    const neutral = text(value);
    const taken = work.steps;
    // Not `toBe`: it would print two megabytes.
    expect(text(neutral) === neutral, piece).toBe(true);
    return { piece, searched, times: taken / steps };
  });
  worst.sort((a, b) => b.times - a.times);
  const slowest = worst.slice(0, 4).map(({ piece, times }) => {
    const value = repeated(piece, MEGABYTE);
    return { piece, steps: times, time: leastTime(() => text(value)) / ordinary };
  });
  console.table(slowest);
  for (const { piece, times } of worst) expect(times, piece).toBeLessThan(50);
  // Processor time on a busy machine: the steps above are the measure, this only finds steps that are no steps.
  for (const { piece, time } of slowest) expect(time, piece).toBeLessThan(1000);
});

/** Processor time of the fastest of a few runs, in microseconds; of what is quick, `times` of it in a run. */
function leastTime(run: () => unknown, times = 1): number {
  const samples = Array.from({ length: 3 }, () => {
    const started = process.cpuUsage();
    for (let count = 0; count < times; count++) run();
    return process.cpuUsage(started).user / times;
  });
  return Math.max(1, Math.min(...samples));
}
