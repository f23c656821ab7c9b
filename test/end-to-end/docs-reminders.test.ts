import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { remindersFor } from "sotto/inspect";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { outcomeOf, textOf } from "../support/telling.ts";

const page = await readFile(new URL("../../docs/guide/reminders.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/```md\n([\s\S]*?)```/gu)].map(([, text = ""]) => text);
const example = (beginning: string) => {
  const found = blocks.find((text) => text.includes(beginning));
  if (found === undefined) throw new Error(`the page has no example with "${beginning}"`);
  return found;
};

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
  mkdirSync(world.at(".git"));
});
afterEach(() => world.remove());

it("the page has the four examples that are tested here", () => {
  expect(blocks).toHaveLength(4);
});

it("the reminders of docs/guide/reminders.md work as written there", async () => {
  world.write(".sotto/reminders/migrations.md", example("Migrations need a rollback"));
  world.write(".sotto/reminders/commit.md", example("every_turns: 15"));
  const home = world.at(".home");
  expect((await remindersFor({ trust: { user: true }, cwd: world.root, home })).problems).toEqual([]);
  const session = openIn(world);
  const start = await session.turn();
  expect(textOf(start, "user_reminder")).toContain("Every migration needs a rollback.");
  expect(outcomeOf(start, "user_reminder")).toBe(
    "sent: 1 sent; migrations: the session has started; 1 reminder: commit: 0 of 15 turns",
  );
  await start.commit();
  await session.record({ type: "assistant_turn" });
  expect(outcomeOf(await session.turn(), "user_reminder")).toBe(
    "nothing: 2 reminders: commit: 1 of 15 turns; migrations: sent in turn 1, nothing new since, 1 of 10 turns",
  );
  await session.record({ type: "file_read", path: "db/migrations/1.sql", content: "x" });
  expect(outcomeOf(await session.turn(), "user_reminder")).toContain(
    "db/migrations/1.sql matches db/migrations/**",
  );
});

it("the templates of docs/guide/reminders.md work as written there", async () => {
  world.write(".home/.config/sotto/templates/task_status.md", example("Background task"));
  world.write(".home/.config/sotto/templates/todo_reminder.md", example("was not touched for a while"));
  expect(
    (await remindersFor({ trust: { user: true }, cwd: world.root, home: world.at(".home") })).problems,
  ).toEqual([]);
  const session = openIn(world);
  const task = { taskId: "t1", taskType: "shell", description: "npm test" } as const;
  await session.record({ type: "task_started", ...task });
  await session.record({
    type: "task_finished",
    taskId: "t1",
    status: "completed",
    deltaSummary: "12 passed",
  });
  await session.record({ type: "todos_written", items: [{ content: "Fix it", status: "pending" }] });
  for (let turn = 0; turn < 5; turn++) await session.record({ type: "assistant_turn" });
  const turn = await session.turn();
  expect(textOf(turn, "task_status")).toBe(
    "<system-reminder>\nBackground task t1 (npm test) is completed.\nIts news: 12 passed\n</system-reminder>",
  );
  expect(textOf(turn, "todo_reminder")).toBe(
    "<system-reminder>\nThe list has 1 items and was not touched for a while.\n- Fix it (pending)\n</system-reminder>",
  );
});
