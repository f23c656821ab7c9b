// What counts as a witness, and what the end of a run makes of them: a small suite of its own, run as a process.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Entry } from "sotto/extend";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { isWitnessed } from "./witness.ts";

const VITEST = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const REPORTER = fileURLToPath(new URL("witness-reporter.ts", import.meta.url));

describe("a type is witnessed", () => {
  const offer = (type: string, text: string) =>
    ({ kind: "delivery", state: "offered", type, blocks: [{ type: "text", text }] }) as unknown as Entry;
  const body = { messages: [{ role: "user", content: [{ type: "text", text: "<b>\nThe date.\n</b>" }] }] };

  it.each([
    ["by a text of its own in a request", "date_change", "<b>\nThe date.\n</b>", true],
    ["not by one that was never sent", "date_change", "<b>\nAnother.\n</b>", false],
    ["not by the text of another type", "todo", "<b>\nThe date.\n</b>", false],
  ])("%s", (_, type, text, expected) => {
    expect(isWitnessed("date_change", { requests: [body], log: [offer(type, text)] })).toBe(expected);
  });
});

describe("at the end of a run", () => {
  const awaits = 'test("awaits", ({ task }) => { task.meta.awaited = ["one", "two"]; });';
  const shows = (type: string, then = "") =>
    `test("shows ${type}", ({ task }) => {
      task.meta.witnesses = [{ type: "${type}", source: "a | b", process: "sh" }];${then}
    });`;

  it("the whole suite has the table, and passes where every type is witnessed", () => {
    const { status, stdout, table } = runSuite({ a: awaits + shows("one"), b: shows("two") });
    expect(status).toBe(0);
    expect(table).toBe(`| type | source | process | test |
| --- | --- | --- | --- |
| one | a \\| b | sh | a.test.js: shows one |
| two | a \\| b | sh | b.test.js: shows two |
`);
    expect(stdout).toContain(table);
  });

  it("it fails where one is missing, or shown only by a test that failed", () => {
    const missing = runSuite({ a: awaits + shows("one") });
    expect({ status: missing.status, stderr: missing.stderr.trim() }).toEqual({
      status: 1,
      stderr: "No test showed these types from their real source: two",
    });
    const failed = runSuite({ a: awaits + shows("one"), b: shows("two", "throw new Error();") });
    expect(failed.stderr).toContain("No test showed these types from their real source: two");
  });

  it("a part of it says nothing of what is missing", () => {
    const suite = { a: awaits + shows("one"), b: shows("two") };
    expect(runSuite(suite, "a.test.js")).toMatchObject({ status: 0, stderr: "" });
    expect(runSuite(suite, "-t", "one")).toMatchObject({ status: 0, stderr: "" });
  });
});

function runSuite(tests: Record<string, string>, ...args: string[]) {
  const root = temporaryDirectory();
  for (const [name, text] of Object.entries(tests)) writeFileSync(join(root, `${name}.test.js`), text);
  writeFileSync(
    join(root, "vitest.config.mjs"),
    `import { createWitnessReporter } from ${JSON.stringify(REPORTER)};
     export default { test: { globals: true, reporters: ["default", createWitnessReporter()] } };`,
  );
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [VITEST, "run", "--root", root, "--configLoader", "native", ...args],
    { cwd: root, encoding: "utf8", env: { PATH: process.env.PATH, NO_COLOR: "1" } },
  );
  const table = readFileSync(join(root, "node_modules/.cache/sotto/witnesses.md"), "utf8");
  return { status, stdout, stderr, table };
}
