import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSession, outcomeOf, textOf } from "../../../../../test/support/telling.ts";
import type { TurnInfo } from "../source.ts";
import { createFileAccess } from "./file-access.ts";
import { createPlanFileSource } from "./plan-file.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "sotto-plan-file-"));
  await mkdir(join(cwd, "plans"));
  await writeFile(join(cwd, "plans/main.md"), "# Plan");
  await symlink("plans/main.md", join(cwd, "link.md"));
  await symlink("plans/gone.md", join(cwd, "dangling.md"));
});
afterAll(() => rm(cwd, { recursive: true }));

const observe = (planFilePath?: string) => {
  const mode = { name: "plan", ...(planFilePath === undefined ? {} : { planFilePath }) };
  const turn = { cwd, facts: { mode, plan: {} } } as unknown as TurnInfo;
  const fileAccess = createFileAccess({ cwd, home: cwd, configDirectory: cwd });
  return createPlanFileSource(fileAccess).observe(turn, new AbortController().signal);
};

it.each([
  ["plans/main.md", true],
  ["./plans/../plans//main.md", true],
  ["link.md", true],
  ["dangling.md", false],
  ["plans/none.md", false],
  ["plans", false],
  ["plans/main.md/below", false],
])("%s, relative to the session's directory: %s", async (path, exists) => {
  expect(await observe(path)).toEqual({ exists });
  expect(await observe(join(cwd, path))).toEqual({ exists });
});

it("there is none where no path is known", async () => {
  expect(await observe()).toEqual({ exists: false });
});

it("cannot tell is not the same as not there", async () => {
  const long = "x".repeat(5000);
  await expect(Promise.resolve(observe(long))).rejects.toThrow("ENAMETOOLONG");
  const session = openSession({ cwd });
  await session.record({ type: "mode_changed", mode: "plan", planFilePath: long });
  const turn = await session.turn();
  expect(textOf(turn, "plan_mode")).toContain(
    "If it exists, read it and edit it step by step with Edit; if not,",
  );
  expect(outcomeOf(turn, "plan_mode")).toContain("sent: 1 sent; the source of planFile failed: ENAMETOOLONG");
});
