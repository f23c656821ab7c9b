import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "sotto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answered, openSession, outcomeOf, textOf } from "../../../../../test/support/telling.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "sotto-ide-")));
  await mkdir(join(cwd, "private"));
  for (const name of ["a.ts", ".env", "private/notes.md"])
    await writeFile(join(cwd, name), "TOKEN=hunter2\n");
  await symlink("private/notes.md", join(cwd, "link.md"));
  await symlink(".env", join(cwd, "settings.txt"));
});
afterAll(() => rm(cwd, { recursive: true }));

const select = (filename: string) =>
  ({
    type: "ide_changed",
    ideName: "VS Code",
    selection: { filename, lineStart: 1, lineEnd: 1, content: "TOKEN=hunter2" },
  }) as const;

it.each([
  ["a.ts", true, ""],
  ["never-saved.ts", true, ""],
  [".env", false, "may contain secrets"],
  ["settings.txt", false, "may contain secrets"],
  ["private/notes.md", false, "may not be read: private/"],
  ["link.md", false, "may not be read: private/"],
])("%s may be shown: %s %s", async (name, isShown, why) => {
  const store = createMemoryStore();
  const session = openSession({ id: "s", cwd, store, permissions: { denyRead: ["private/"] } });
  const filename = join(cwd, name);
  await session.record(select(filename));
  const turn = await answered(session);
  const log = JSON.stringify(await store.read("s", 0));
  expect({
    said: textOf(turn, "selected_lines_in_ide") !== undefined,
    kept: log.includes("hunter2"),
  }).toEqual({
    said: isShown,
    kept: isShown,
  });
  if (!isShown) expect(outcomeOf(turn, "selected_lines_in_ide")).toBe(`nothing: ${filename} ${why}`);
  await session.record({ type: "ide_changed", ideName: "VS Code", openFile: filename });
  const opened = await answered(session);
  expect(textOf(opened, "opened_file_in_ide") !== undefined).toBe(isShown);
  if (!isShown) expect(outcomeOf(opened, "opened_file_in_ide")).toBe(`nothing: ${filename} ${why}`);
});

it("keeps nothing of a selection while nobody asks for it", async () => {
  const store = createMemoryStore();
  const config = { attachments: { ide_selection: false, ide_opened_file: false } };
  const session = openSession({ id: "s", cwd, store, config });
  await session.record(select(join(cwd, "a.ts")));
  expect(JSON.stringify(await store.read("s", 0))).not.toContain("hunter2");
  await session.record({
    type: "config_changed",
    config: { attachments: { ide_selection: true, ide_opened_file: true } },
  });
  expect(outcomeOf(await answered(session), "selected_lines_in_ide")).toBe(
    `nothing: the lines selected in ${join(cwd, "a.ts")} were not kept`,
  );
});
