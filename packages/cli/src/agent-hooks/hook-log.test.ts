// The log of hook calls: one line each, bounded, and never in anybody's way.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../../test/run-sotto.ts";
import { lastProblems, logProblem } from "./hook-log.ts";

const now = new Date("2026-11-15T10:00:00Z");

it("is one line for each problem, with time, agent and event", () => {
  const path = join(temporaryDirectory(), "deep", "hook.log");
  logProblem(path, { agent: "codex", event: "Stop", problem: "a\nb\u001b[31m" }, now);
  logProblem(path, { agent: "", event: "an event\n", problem: "x".repeat(5000) }, now);
  const [first, second] = lastProblems(path, 5);
  expect(first).toBe("2026-11-15T10:00:00.000Z codex Stop a b [31m");
  expect(second).toBe(`2026-11-15T10:00:00.000Z - an_event_ ${"x".repeat(600)}`);
  expect(lastProblems(path, 1)).toEqual([second]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("keeps two files of a bounded size", () => {
  const path = join(temporaryDirectory(), "hook.log");
  for (let line = 0; line < 1000; line++)
    logProblem(path, { agent: "codex", event: "Stop", problem: "x".repeat(600) }, now);
  for (const file of [path, `${path}.1`]) expect(statSync(file).size).toBeLessThan(130 * 1024);
  expect(readFileSync(path, "utf8").endsWith("x\n")).toBe(true);
});

it("where it cannot be written nobody hears of it", () => {
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  logProblem(join(file, "hook.log"), { agent: "codex", event: "Stop", problem: "a" }, now);
  expect(lastProblems(join(file, "hook.log"), 3)).toEqual([]);
});
