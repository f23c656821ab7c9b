// A file that looks secret is shown only after the user was asked, whichever tool would show it.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDenyAsker } from "../face/askers.ts";
import { changesNothing } from "./commands.ts";
import { runGrep } from "./grep.ts";
import { openWorkbench, type Workbench } from "./testing.ts";

let bench: Workbench;
const git = (...parameters: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...parameters], {
    cwd: bench.cwd,
    encoding: "utf8",
  });
beforeEach(() => {
  bench = openWorkbench();
  bench.permissions.mode = "ask";
  bench.file(".env", "KEY=CANARY\n");
  bench.file("config/server.key", "CANARY key\n");
  bench.file("src/a.ts", "const CANARY_NAME = 1;\n");
  bench.file("open.txt", "token\n");
  symlinkSync(".env", bench.at("notes.md"));
  symlinkSync("config", bench.at("way"));
});
afterEach(() => bench.close());

const SECRETS = [".env", "./src/../.env", "notes.md", "config/server.key", "way/server.key"];

describe.each(["ask", "auto-edit"] as const)("with --permission-mode %s", (mode) => {
  test.each(SECRETS)("Read and Grep of %s ask; a no shows nothing", async (path) => {
    bench.permissions.mode = mode;
    for (const [tool, input] of [
      ["Read", { file_path: path }],
      ["Grep", { pattern: "CANARY", path, output_mode: "content" }],
    ] as const) {
      bench.answers.permit = "no";
      const refused = await bench.call(tool, input);
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("did not allow") });
      bench.answers.permit = "yes";
      expect((await bench.call(tool, input)).text).toContain("CANARY");
    }
    expect(bench.asked).toHaveLength(4);
  });
});

test("other files need no question", async () => {
  await bench.call("Read", { file_path: "src/a.ts" });
  await bench.call("Grep", { pattern: "token", path: "open.txt" });
  expect(bench.asked).toEqual([]);
});

test("always allows the files that look secret, with that tool", async () => {
  bench.answers.permit = "always";
  await bench.call("Read", { file_path: ".env" });
  expect(bench.asked[0]?.detail).toContain("always: every file that looks secret, with this tool");
  expect((await bench.call("Read", { file_path: "config/server.key" })).text).toContain("CANARY key");
  expect(bench.asked).toHaveLength(1);
});

test("where nobody can be asked it is refused, with the option that allows it", async () => {
  const said: string[] = [];
  const asker = createDenyAsker({ say: (reason) => said.push(reason) });
  expect((await bench.call("Read", { file_path: ".env" }, { asker })).isError).toBe(true);
  expect(said[0]).toMatch(/Read \.env.*to allow it, start with --permission-mode all\.$/u);
});

test("with --permission-mode all they are shown", async () => {
  bench.permissions.mode = "all";
  expect((await bench.call("Read", { file_path: ".env" })).text).toContain("CANARY");
  const { text } = await bench.call("Grep", { pattern: "CANARY", output_mode: "content" });
  expect(text).toContain("KEY=CANARY");
  expect(text).toContain("CANARY key");
  expect(bench.asked).toEqual([]);
});

test.each(["content", "files_with_matches", "count"] as const)(
  "a search with output_mode %s leaves them out, and says the same whether they match or not",
  async (output_mode) => {
    const search = async (pattern: string) =>
      (await runGrep({ pattern, output_mode }, bench.context, undefined)).text;
    const hit = await search("KEY=CANARY");
    expect(hit).toBe(await search("KEY=OTHER"));
    expect(hit).toContain(".env (looks secret)");
    expect(await search("CANARY")).toContain("src/a.ts");
    expect(await search("CANARY key")).not.toContain("server.key:");
    expect((await bench.call("Grep", { pattern: "KEY=", output_mode })).text).toContain("No matches found.");
  },
);

describe("commands", () => {
  test.each([
    ...SECRETS.map((path) => `cat ${path}`),
    ...[
      "head -n1 .env",
      "cat .e*",
      "cat config/*",
      "grep KEY .env",
      "grep -f.env open.txt",
      "cat open.txt .env",
    ],
    ...["ls | cat .env", "sort .env", "diff open.txt .env", "wc --files0-from=.env", "du --files0-from=.env"],
    ...[
      "grep -r CANARY .",
      "grep -rn CANARY",
      "grep -d recurse CANARY config",
      "rg CANARY",
      "diff -r config src",
    ],
  ])("%s asks", (command) => {
    expect(changesNothing(command, bench.context)).toBe(false);
  });

  test.each([
    ...["ls -la", "ls .env", "stat .env", "find . -name '*.ts'", "cat src/a.ts", "cat *.txt", "cat src/*"],
    ...[
      "grep token open.txt",
      "grep -rn secret src",
      "rg password src",
      "cat open.txt | sort -rn",
      "echo .env",
    ],
  ])("%s does not ask", (command) => {
    if (command === "cat *.txt") rmSync(bench.at("notes.md"));
    expect(changesNothing(command, bench.context)).toBe(true);
  });
});

describe("git", () => {
  const both = (command: string) => [command, changesNothing(command, bench.context)];
  beforeEach(() => {
    git("init", "-q");
    git("add", "src", "open.txt");
    git("commit", "-qm", "one");
  });

  test("shows changes and history without a question where no secret is in them", () => {
    bench.file("open.txt", "other\n");
    for (const command of ["git diff", "git diff HEAD", "git log -p", "git show", "git show HEAD:open.txt"])
      expect(both(command)).toEqual([command, true]);
  });

  test("asks where one is, also in history and after it is gone", () => {
    git("add", "-f", ".env", "config");
    const hash = git("hash-object", ".env").trim();
    for (const command of [
      "git diff --cached",
      "git diff HEAD",
      "git status -v",
      `git show ${hash}`,
      "git show :.env",
    ])
      expect(both(command)).toEqual([command, false]);
    git("commit", "-qm", "two");
    bench.file(".env", "KEY=CANARY2\n");
    for (const command of ["git diff", "git diff -s -p", "git blame .env", "git show HEAD:.env"])
      expect(both(command)).toEqual([command, false]);
    git("rm", "-qrf", ".env", "config");
    git("commit", "-qm", "three");
    mkdirSync(bench.at("sub"));
    for (const command of [
      "git log -p",
      "git log --patch -3",
      "git log -p --format=foo",
      "git log -p --pretty=format:foo%n%s",
      "git log -p --oneline",
      "git log -p --line-prefix=x",
      "git log -p --graph",
      "git show",
      "git show HEAD~1",
      "git diff HEAD~1",
    ])
      expect(both(command)).toEqual([command, false]);
    for (const command of [
      "git log",
      "git log --oneline -5",
      "git status",
      "git diff --stat",
      "git log --name-only",
    ])
      expect(both(command)).toEqual([command, true]);
  });
});
