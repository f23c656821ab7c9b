import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession } from "sotto";
import { expect, it, onTestFinished } from "vitest";
import { createMemoryFile, serverProblems } from "./live-sources.ts";

function setUp() {
  const cwd = mkdtempSync(join(tmpdir(), "sotto-memory-file-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const path = join(cwd, "always.md");
  const session = createSession({ cwd, home: cwd, agent: { kind: "main" }, config: { timeout_ms: 20_000 } });
  const problems: string[] = [];
  const file = createMemoryFile(path, { session, onProblem: (text) => void problems.push(text) });
  const told = async () => {
    await file.look();
    const turn = await session.turn();
    await turn.commit();
    return turn.reminders.map(({ text }) => text);
  };
  return { path, problems, told };
}

it("is told once for each version; one that is gone changes nothing, and is reported once", async () => {
  const { path, problems, told } = setUp();
  writeFileSync(path, "One.");
  expect(await told()).toEqual(["<system-reminder>\nOne.\n</system-reminder>"]);
  expect(await told()).toEqual([]);
  writeFileSync(path, "Two.");
  expect(await told()).toEqual(["<system-reminder>\nTwo.\n</system-reminder>"]);
  rmSync(path);
  expect([await told(), await told()]).toEqual([[], []]);
  expect(problems).toEqual([expect.stringContaining("always.md does not exist; ")]);
});

it.runIf(process.platform !== "win32")("what is no file, or too large, holds up nothing", async () => {
  const { path, problems, told } = setUp();
  execFileSync("mkfifo", [path]);
  expect(await told()).toEqual([]);
  rmSync(path);
  writeFileSync(path, "x".repeat(200_001));
  expect(await told()).toEqual([]);
  expect(problems).toEqual([
    `--memory-file: ${path} is not a regular file but a pipe, a socket or a device`,
    `--memory-file: ${path} is too large: 200001 bytes; the limit is 200000`,
  ]);
});

it("says what of the MCP servers is not there, and why", () => {
  const counts = { tools: 1, resources: 0 };
  const state = () => [
    { name: "a", status: "connected" as const, ...counts },
    { name: "b", status: "connected" as const, ...counts, leftOut: ['the tool "x y" is left out: …'] },
    { name: "c", status: "failed" as const, ...counts, problem: "KEY is not set in the environment" },
  ];
  expect(serverProblems({ state })).toEqual([
    'MCP server b: the tool "x y" is left out: …',
    "MCP server c: failed, KEY is not set in the environment",
  ]);
});
