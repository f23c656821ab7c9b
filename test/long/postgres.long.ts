// Many processes on one Postgres server: a storm of kills, crashes and cut connections, and turns routed at random.

import { expect, it, onTestFinished } from "vitest";
import { postgresStorm, providerStorm } from "../faults/postgres-storm.ts";
import { routeTurns } from "../faults/routing.ts";
import { testSchema } from "../support/postgres.ts";

const seed = Number(process.env.SOTTO_FAULT_SEED ?? 1);

it("AC-38: hosts that are killed with their database and its connections send their provider nothing twice, and lose nothing", async () => {
  const report = await providerStorm({ seed, kills: 12, crashes: 3 });
  expect(report.problems).toEqual([]);
  expect(report.found.delivered).toBeGreaterThan(0);
  console.log(JSON.stringify(report));
});

it("AC-38: eight processes on two machines, killed with their server and their connections, lose nothing and say nothing twice", async () => {
  const report = await postgresStorm({ seed, kills: 40, crashes: 5, sessions: ["one", "two"] });
  expect(report.problems).toEqual([]);
  expect(report.kills).toBeGreaterThanOrEqual(40);
  expect(report.acknowledged).toBeGreaterThan(10);
  console.log(JSON.stringify(report));
});

it("AC-38: 200 sessions over eight processes, each turn taken by one of them at random: every request goes on from the one before", async () => {
  const schema = await testSchema();
  onTestFinished(schema.drop);
  const report = await routeTurns({ url: schema.url, seed: 1, processes: 8, sessions: 200, turns: 5 });
  expect(report.problems).toEqual([]);
  expect(report.turns).toBe(1000);
  expect(report.moved).toBeGreaterThan(600);
  console.log(JSON.stringify(report));
});
