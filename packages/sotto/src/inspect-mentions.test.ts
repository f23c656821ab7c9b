import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { mentionsIn } from "sotto/inspect";
import { afterEach, beforeEach, expect, it } from "vitest";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(`${tmpdir()}/sotto-mentions-in-`));
  await mkdir(`${root}/proj/docs`, { recursive: true });
  await mkdir(`${root}/proj/private`);
  await mkdir(`${root}/home`);
  await writeFile(`${root}/proj/a.ts`, "a\n");
  await writeFile(`${root}/proj/.env`, "KEY=canary\n");
  await writeFile(`${root}/proj/private/notes.md`, "canary\n");
  await writeFile(`${root}/home/todo.md`, "todo\n");
  await symlink(`${root}/proj/private/notes.md`, `${root}/proj/link.md`);
  await symlink(`${root}/proj/.env`, `${root}/proj/settings`);
  execFileSync("mkfifo", [`${root}/proj/pipe`]);
});
afterEach(() => rm(root, { recursive: true }));

const ask = (prompt: string, more: object = {}) =>
  mentionsIn({ prompt, cwd: `${root}/proj`, home: `${root}/home`, ...more });

it("tells files with their lines, directories, resources, agents, and what is not there", async () => {
  const prompt =
    "@a.ts:2-9 @a.ts#L9-2 @docs @~/todo.md @git:issue://1 @agent-reviewer @agent-other @nope.ts @pipe";
  expect(await ask(prompt, { servers: ["git"], agents: ["reviewer"] })).toEqual({
    files: [
      { path: `${root}/proj/a.ts`, lineStart: 2, lineEnd: 9 },
      {
        path: `${root}/proj/a.ts`,
        lineStart: 9,
        lineEnd: 2,
        note: "Lines 9-2 make no sense: the last line is before the first.",
      },
      { path: `${root}/home/todo.md` },
    ],
    directories: [`${root}/proj/docs`],
    mcp: [{ server: "git", uri: "issue://1" }],
    agents: ["reviewer"],
    unresolved: [
      { text: "@agent-other", reason: `there is nothing at ${root}/proj/agent-other` },
      { text: "@nope.ts", reason: `there is nothing at ${root}/proj/nope.ts` },
      {
        text: "@pipe",
        reason: `${root}/proj/pipe is neither a regular file nor a directory but a named pipe`,
      },
    ],
  });
});

it("what may not be read is no mention, by whatever name", async () => {
  const permissions = { denyRead: ["private/"] };
  expect(await ask("@private/notes.md @link.md @private @a.ts", { permissions })).toEqual({
    files: [{ path: `${root}/proj/a.ts` }],
    directories: [],
    mcp: [],
    agents: [],
    unresolved: [
      { text: "@private/notes.md", reason: `${root}/proj/private/notes.md may not be read: private/` },
      { text: "@link.md", reason: `${root}/proj/link.md may not be read: private/` },
      { text: "@private", reason: `${root}/proj/private may not be read: private/` },
    ],
  });
});

it("refuses what looks secret, and links to it, unless it is allowed", async () => {
  const reason = (name: string) => `${root}/proj/${name} may not be read: it may contain secrets`;
  const { files, unresolved } = await ask("@.env @settings");
  expect({ files, unresolved }).toEqual({
    files: [],
    unresolved: [
      { text: "@.env", reason: reason(".env") },
      { text: "@settings", reason: reason("settings") },
    ],
  });
  expect((await ask("@.env", { permissions: { allowSecrets: [".env"] } })).files).toEqual([
    { path: `${root}/proj/.env` },
  ]);
});
