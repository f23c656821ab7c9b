// The task list of a team, on a real disk: one owner for each task, nothing half written.

import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTaskList } from "./team-tasks.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-task-list-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const as = (agent: string) => openTaskList(join(directory, "parsers"), agent);
const put = (name: string, text: string) => writeFileSync(join(directory, "parsers", name), text);

test("a task is made, claimed, ended; a list that is not there is empty", async () => {
  expect(await as("ada").list()).toEqual({ tasks: [], problems: [] });
  expect(await as("lead").create({ subject: "Dates", description: "ISO" })).toEqual({
    id: "1",
    subject: "Dates",
    description: "ISO",
    status: "pending",
    createdBy: "lead",
  });
  expect(await as("ada").update("1", { status: "in_progress" })).toMatchObject({ owner: "ada" });
  expect(await as("ada").update("1", { status: "in_progress" })).toMatchObject({ owner: "ada" });
  await as("ada").update("1", { status: "completed", note: "green" });
  expect((await as("grace").list()).tasks).toEqual([
    {
      id: "1",
      subject: "Dates",
      description: "ISO",
      status: "completed",
      createdBy: "lead",
      owner: "ada",
      note: "green",
    },
  ]);
});

test("of many who claim a task at once one gets it; of many who make one each gets a number", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `mate${index}`);
  const made = await Promise.all(names.map((name) => as(name).create({ subject: name })));
  expect(made.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(names.map((_, index) => index + 1));
  const claims = await Promise.allSettled(
    names.map((name) => as(name).update("1", { status: "in_progress" })),
  );
  expect(claims.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(readdirSync(join(directory, "parsers")).filter((name) => name.startsWith("."))).toEqual([]);
});

test("what is somebody else's is theirs, or the lead's; given back, others may take it", async () => {
  await as("lead").create({ subject: "Dates" });
  await as("ada").update("1", { status: "in_progress" });
  await expect(as("grace").update("1", { status: "in_progress" })).rejects.toThrow(
    "task 1 is already claimed by ada",
  );
  await expect(as("grace").update("1", { status: "completed" })).rejects.toThrow("task 1 belongs to ada");
  await as("lead").update("1", { status: "pending", note: "ada is gone" });
  expect((await as("lead").list()).tasks).toEqual([
    { id: "1", subject: "Dates", status: "pending", createdBy: "lead", note: "ada is gone" },
  ]);
  expect(await as("grace").update("1", { status: "completed" })).toMatchObject({ owner: "grace" });
  await expect(as("ada").update("1", { status: "in_progress" })).rejects.toThrow(
    "task 1 is already completed",
  );
  await expect(as("ada").update("7", { status: "completed" })).rejects.toThrow("there is no such task");
});

test("a claim counts also where its maker was killed before the task was written", async () => {
  await as("lead").create({ subject: "Dates" });
  put("1.claim", '{"owner":"ada"}\n');
  expect((await as("grace").list()).tasks).toMatchObject([{ status: "in_progress", owner: "ada" }]);
});

test("what is no task is left out and told", async () => {
  await as("lead").create({ subject: "Dates" });
  put("2.json", "{");
  put("3.json", '{"id":"3","status":"pending"}');
  put("notes.json", "{}");
  put(".half", "{");
  symlinkSync("/etc/hostname", join(directory, "parsers/4.json"));
  const { tasks, problems } = await as("ada").list();
  expect(tasks.map(({ id }) => id)).toEqual(["1"]);
  expect(problems).toEqual([
    "2.json: not JSON",
    expect.stringMatching(/^3\.json: not a task: subject/u),
    expect.stringMatching(/^4\.json: /u),
  ]);
  expect((await as("lead").create({ subject: "Next" })).id).toBe("5");
  expect(existsSync(join(directory, "parsers/5.json"))).toBe(true);
});
