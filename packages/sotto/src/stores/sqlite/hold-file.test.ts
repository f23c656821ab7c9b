// Held by one process at a time, also when they end by a kill, or let go while others try.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it } from "vitest";
import { holdFile } from "./hold-file.ts";

let directory: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-hold-"));
  path = join(directory, "one.lock");
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

/** A process that runs `code` with `holdFile` and `path`. */
function start(code: string): ChildProcess {
  const imported = `const { holdFile } = await import(${JSON.stringify(import.meta.resolve("./hold-file.ts"))});`;
  const script = `${imported} const path = ${JSON.stringify(path)}; ${code}`;
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", script],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  children.push(child);
  return child;
}

it("one holds it; let go, another may have it", () => {
  const held = holdFile(path);
  expect(held).toBeDefined();
  expect(holdFile(path)).toBeUndefined();
  held?.release();
  const again = holdFile(path);
  expect(again).toBeDefined();
  again?.release();
});

it("a killed process lets go", async () => {
  const child = start("console.log(holdFile(path) !== undefined); setInterval(() => {}, 1000);");
  const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess["stdout"]> });
  expect(await once(lines, "line")).toEqual(["true"]);
  expect(holdFile(path)).toBeUndefined();
  child.kill("SIGKILL");
  await once(child, "close");
  const held = holdFile(path);
  expect(held).toBeDefined();
  held?.release();
});

it("never two at once, while many take it and let go", async () => {
  const log = join(directory, "log");
  writeFileSync(log, "");
  const code = `
    const { appendFileSync } = await import("node:fs");
    for (let count = 0; count < 200; ) {
      const held = holdFile(path);
      if (held === undefined) continue;
      appendFileSync(${JSON.stringify(log)}, process.pid + " in\\n");
      appendFileSync(${JSON.stringify(log)}, process.pid + " out\\n");
      held.release();
      count++;
    }`;
  await Promise.all([start(code), start(code), start(code)].map((child) => once(child, "close")));
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  expect(lines).toHaveLength(1200);
  for (let at = 0; at < lines.length; at += 2) expect(lines[at + 1]).toBe(lines[at]?.replace("in", "out"));
});

it("where it cannot be made, everyone gets it", () => {
  appendFileSync(path, "not a directory");
  expect(holdFile(join(path, "below.lock"))).toBeDefined();
});
