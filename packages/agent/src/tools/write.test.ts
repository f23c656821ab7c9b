import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "./testing.ts";

let bench: Workbench;
beforeEach(() => {
  bench = openWorkbench();
});
afterEach(() => bench.close());

const write = (file_path: string, content: string) => bench.call("Write", { file_path, content });

it("a new file is made with its directories, and recorded with its content", async () => {
  const path = bench.at("src/deep/a.ts");
  expect(await write("src/deep/a.ts", "one\ntwo\n")).toEqual({
    text: "Created src/deep/a.ts: 2 lines.",
    summary: "2 lines",
    paths: [path],
  });
  expect(bench.text("src/deep/a.ts")).toBe("one\ntwo\n");
  expect(bench.events("file_written")).toEqual([{ type: "file_written", path, content: "one\ntwo\n" }]);
});

it("an existing file must have been read; what was written counts", async () => {
  const path = bench.file("a.txt", "old");
  expect(await write("a.txt", "new")).toEqual({
    text: `${path} has not been read in this session: Read it before you change it.`,
    isError: true,
  });
  expect(bench.text("a.txt")).toBe("old");
  await bench.call("Read", { file_path: "a.txt" });
  expect(await write("a.txt", "new")).toMatchObject({ text: "Replaced a.txt: 1 line." });
  expect(await write("a.txt", "newer")).toMatchObject({ text: "Replaced a.txt: 1 line." });
  expect(bench.text("a.txt")).toBe("newer");
});

it("a new file goes on, and the model hears which instructions speak about its place", async () => {
  bench.file("src/AGENTS.md", "Use tabs.");
  expect((await write("src/a.ts", "x")).text).toBe(
    "Created src/a.ts: 1 line. There are instructions for this file: src/AGENTS.md. You get them with the next turn; then check that the file follows them.",
  );
  const { reminders } = await bench.session.turn();
  expect(reminders.map(({ type }) => type)).toContain("nested_memory");
  expect((await write("src/b.ts", "x")).text).toBe("Created src/b.ts: 1 line.");
});

it("nothing is written outside, through a link, into Git's own files, or into what is no file", async () => {
  const outside = join(bench.directory, "outside.txt");
  symlinkSync(bench.directory, bench.at("link"));
  symlinkSync(outside, bench.at("dangling"));
  symlinkSync(join(bench.directory, "nowhere"), bench.at("lost"));
  mkdirSync(bench.at(".git/hooks"), { recursive: true });
  mkdirSync(bench.at("directory"));
  execFileSync("mkfifo", [bench.at("pipe")]);
  const refused = {
    "../outside.txt": /--add-dir/u,
    "link/outside.txt": /--add-dir/u,
    "link/new/deep.txt": /--add-dir/u,
    dangling: /is a dangling link/u,
    "lost/a.txt": /is a dangling link/u,
    ".git/hooks/pre-commit": /belongs to Git/u,
    directory: /was not read|is a directory/u,
    pipe: /has not been read|is not a regular file/u,
    "pipe/a.txt": /a part of its path is a file/u,
  };
  for (const [path, words] of Object.entries(refused))
    expect(await write(path, "x")).toMatchObject({ isError: true, text: expect.stringMatching(words) });
  expect(existsSync(outside)).toBe(false);
  expect(bench.events("file_written")).toEqual([]);
});

it("a person sees what would be written, and nothing happens without their word", async () => {
  bench.permissions.mode = "ask";
  bench.answers.permit = "no";
  expect(await write("a.txt", "content")).toEqual({
    text: "The user did not allow this: do not try another way, ask what to do instead.",
    isError: true,
  });
  expect(bench.asked).toEqual([
    { toolName: "Write", title: "Write a.txt", detail: "content\n\nalways: every Write call in the project" },
  ]);
  expect(existsSync(bench.at("a.txt"))).toBe(false);
});
