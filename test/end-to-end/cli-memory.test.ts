// `sotto memory`: which instruction files and rules speak about a path, for people and programs.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InstructionsReport } from "sotto/inspect";
import { beforeEach, describe, expect, test } from "vitest";
import { runSotto, sottoHere } from "../../packages/cli/test/run-sotto.ts";
import { temporaryRoot } from "../support/file-cases.ts";
import { plant } from "../support/memory-files.ts";

let root: string;
beforeEach(() => {
  root = temporaryRoot();
});

const options = (cwd = `${root}/home/app`) => ({ cwd, env: { HOME: `${root}/home` } });
const run = (args: string[], cwd?: string) => sottoHere(["memory", ...args], options(cwd));
const rule = (paths: string, body: string) => `---\npaths: ${paths}\n---\n${body}\n`;

/** A shop: instructions on three levels, imports, rules of the user and of the project, one of them broken. */
const shop = () =>
  plant(root, {
    dirs: ["/home/app/.git"],
    files: {
      "/home/.claude/CLAUDE.md": "Answer in short sentences. @~/.claude/tone.md",
      "/home/.claude/tone.md": "Be kind.",
      "/home/.claude/rules/react.md": rule('"**/*.tsx"', "Hooks, no classes."),
      "/home/.claude/rules/commits.md": "Commit in the imperative.",
      "/home/private.md": "canary",
      "/home/app/AGENTS.md": "A shop. See @docs/style.md",
      "/home/app/CLAUDE.md": "@AGENTS.md\nRun the tests.",
      "/home/app/docs/style.md": "Two spaces.",
      "/home/app/.claude/rules/always.md": "Never push to main.",
      "/home/app/.claude/rules/python.md": rule('"**/*.py"', "Type hints."),
      "/home/app/.claude/rules/ui.md": rule("**/ui/**", "Accessible names."),
      "/home/app/src/CLAUDE.md":
        "Sources. @../docs/style.md @../docs/testing.md @~/private.md @../docs/gone.md",
      "/home/app/src/CLAUDE.local.md": "My own notes.",
      "/home/app/docs/testing.md": "Write a test first.",
      "/home/app/src/ui/AGENTS.md": "Components.",
      "/home/app/src/ui/.claude/rules/buttons.md": rule("Button*.tsx", "Buttons have labels."),
      "/home/app/src/ui/Button.tsx": "export {};\n",
    },
  });

describe("as text", () => {
  test("what reading a file brings, what does not load and why, what is to be mended", async () => {
    await shop();
    const { code, stdout, stderr } = await runSotto(["memory", "src/ui/Button.tsx"], options());
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatchInlineSnapshot(`
      "At session start: 7 files
        user     ~/.claude/CLAUDE.md         the user's instructions for all projects
        user     ~/.claude/tone.md           imported by ~/.claude/CLAUDE.md
        user     ~/.claude/rules/commits.md  user rule without paths
        project  AGENTS.md                   in the working directory
        project  docs/style.md               imported by AGENTS.md
        project  CLAUDE.md                   in the working directory
        project  .claude/rules/always.md     rule without paths in the working directory

      With src/ui/Button.tsx: 7 files
        user     ~/.claude/rules/react.md         src/ui/Button.tsx matches **/*.tsx
        project  src/CLAUDE.md                    src/ui/Button.tsx lies in src/
        project  docs/testing.md                  imported by src/CLAUDE.md
        local    src/CLAUDE.local.md              src/ui/Button.tsx lies in src/
        project  src/ui/AGENTS.md                 src/ui/Button.tsx lies in src/ui/
        project  src/ui/.claude/rules/buttons.md  src/ui/Button.tsx matches Button*.tsx
        project  .claude/rules/ui.md              src/ui/Button.tsx matches **/ui/**

      Did not load
        docs/style.md               said already, at session start
        ~/.claude/rules/commits.md  has no paths: it loads at session start
        .claude/rules/always.md     has no paths: it loads at session start
        ~/private.md                outside the project (only the user's own files, or allow_external_imports, reach
                                    there): ~/app (imported by src/CLAUDE.md)
        docs/gone.md                does not exist (imported by src/CLAUDE.md)
        .claude/rules/python.md     src/ui/Button.tsx does not match **/*.py

      Problems
        .claude/rules/ui.md  its frontmatter is not valid YAML; read as if its values were quoted: ["**/ui/**"]
      "
    `);
  });

  test("what loads at session start", async () => {
    await shop();
    const { stdout } = await run([]);
    expect(stdout).toMatchInlineSnapshot(`
      "At session start: 7 files
        user     ~/.claude/CLAUDE.md         the user's instructions for all projects
        user     ~/.claude/tone.md           imported by ~/.claude/CLAUDE.md
        user     ~/.claude/rules/commits.md  user rule without paths
        project  AGENTS.md                   in the working directory
        project  docs/style.md               imported by AGENTS.md
        project  CLAUDE.md                   in the working directory
        project  .claude/rules/always.md     rule without paths in the working directory

      Did not load
        ~/.claude/rules/react.md  waits for a path that matches **/*.tsx
        .claude/rules/python.md   waits for a path that matches **/*.py
        .claude/rules/ui.md       waits for a path that matches **/ui/**

      Problems
        .claude/rules/ui.md  its frontmatter is not valid YAML; read as if its values were quoted: ["**/ui/**"]
      "
    `);
  });

  test("several paths: each under its own heading, and only what is new", async () => {
    await shop();
    const { stdout } = await run(["src/ui/Button.tsx", "src/main.py", "/elsewhere/x.ts"]);
    expect(stdout).toMatchInlineSnapshot(`
      "At session start: 7 files
        user     ~/.claude/CLAUDE.md         the user's instructions for all projects
        user     ~/.claude/tone.md           imported by ~/.claude/CLAUDE.md
        user     ~/.claude/rules/commits.md  user rule without paths
        project  AGENTS.md                   in the working directory
        project  docs/style.md               imported by AGENTS.md
        project  CLAUDE.md                   in the working directory
        project  .claude/rules/always.md     rule without paths in the working directory

      With src/ui/Button.tsx: 7 files
        user     ~/.claude/rules/react.md         src/ui/Button.tsx matches **/*.tsx
        project  src/CLAUDE.md                    src/ui/Button.tsx lies in src/
        project  docs/testing.md                  imported by src/CLAUDE.md
        local    src/CLAUDE.local.md              src/ui/Button.tsx lies in src/
        project  src/ui/AGENTS.md                 src/ui/Button.tsx lies in src/ui/
        project  src/ui/.claude/rules/buttons.md  src/ui/Button.tsx matches Button*.tsx
        project  .claude/rules/ui.md              src/ui/Button.tsx matches **/ui/**

      With src/main.py: 1 file
        project  .claude/rules/python.md  src/main.py matches **/*.py

      With /elsewhere/x.ts: nothing new

      Did not load
        docs/style.md               said already, at session start
        ~/.claude/rules/commits.md  has no paths: it loads at session start
        .claude/rules/always.md     has no paths: it loads at session start
        ~/private.md                outside the project (only the user's own files, or allow_external_imports, reach
                                    there): ~/app (imported by src/CLAUDE.md)
        docs/gone.md                does not exist (imported by src/CLAUDE.md)
        .claude/rules/python.md     src/ui/Button.tsx does not match **/*.py
        src/CLAUDE.md               said already, with src/ui/Button.tsx
        docs/testing.md             said already, with src/ui/Button.tsx
        src/CLAUDE.local.md         said already, with src/ui/Button.tsx
        ~/.claude/rules/react.md    src/main.py does not match **/*.tsx
        .claude/rules/ui.md         src/main.py does not match **/ui/**
        /elsewhere/x.ts             is outside the working directory ~/app: nothing speaks about it

      Problems
        .claude/rules/ui.md  its frontmatter is not valid YAML; read as if its values were quoted: ["**/ui/**"]
      "
    `);
  });

  test("nothing at all", async () => {
    mkdirSync(`${root}/home/app`, { recursive: true });
    expect(await run([])).toEqual({
      code: 0,
      stdout: `At session start: nothing

There is no AGENTS.md, CLAUDE.md or rule (.claude/rules/*.md, .sotto/rules/*.md)
in this directory, above it or in ~/.claude.
`,
      stderr: "",
    });
    expect(await run(["a.ts"])).toEqual({ code: 0, stdout: "With a.ts: nothing new\n", stderr: "" });
  });

  test("rules that never come say why, and what was likely meant", async () => {
    await plant(root, {
      files: {
        "/home/app/.claude/rules/empty.md": "",
        "/home/app/.claude/rules/never.md": "---\npaths: []\n---\nNever.\n",
        "/home/app/.claude/rules/only-not.md": rule('"!**/*.ts"', "Not there."),
        "/home/app/.claude/rules/cursor.mdc": rule('"**/*.ts"', "Of another tool."),
        "/home/app/.claude/rules/typo.md": '---\npath: "**/*.ts"\n---\nTypes.\n',
        "/home/app/.claude/rules/broken.md": "---\npaths: [a\n---\nBroken.\n",
      },
    });
    expect((await run([])).stdout).toMatchInlineSnapshot(`
      "At session start: 2 files
        project  .claude/rules/broken.md  rule without paths in the working directory
        project  .claude/rules/typo.md    rule without paths in the working directory

      Did not load
        .claude/rules/never.md     its paths are an empty list: it matches nothing
        .claude/rules/only-not.md  its paths only leave out: it matches nothing
        .claude/rules/cursor.mdc   is not a rule: their names end with .md
        .claude/rules/empty.md     is empty

      Problems
        .claude/rules/broken.md  its frontmatter cannot be read, so it is always loaded: Flow sequence in block
                                 collection must be sufficiently indented and end with a ]
        .claude/rules/typo.md    its frontmatter has path, not paths: always loaded
      "
    `);
    expect((await run(["."])).stdout).toContain("is the working directory itself");
  });

  test("a file that is cut says so, and no escape reaches the terminal", async () => {
    await plant(root, {
      files: {
        "/home/app/src/AGENTS.md": "line\n".repeat(3001),
        "/home/app/src/\u001b[31mred/AGENTS.md": "Red.",
      },
    });
    const { stdout } = await run(["src/\u001b[31mred/a.ts"]);
    expect(stdout).toContain("lies in src/; truncated, too long\n");
    expect(stdout).not.toContain("\u001b");
  });
});

describe("--json", () => {
  const short = (path: string) => path.replaceAll(`${root}/`, "");

  test("loaded in order with kind, reason and cause; skipped; problems; all paths absolute", async () => {
    await shop();
    const { code, stdout, stderr } = await run(["--cwd", "home/app", "src/ui/Button.tsx", "--json"], root);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const report = JSON.parse(stdout) as InstructionsReport;
    expect(Object.keys(report)).toEqual(["start", "loaded", "skipped", "problems"]);
    expect(report.start?.map(({ path }) => short(path))).toContain("home/app/AGENTS.md");
    const cause = `${root}/home/app/src/ui/Button.tsx`;
    expect(report.loaded).toEqual(
      [
        ["home/.claude/rules/react.md", "user", "src/ui/Button.tsx matches **/*.tsx"],
        ["home/app/src/CLAUDE.md", "project", "src/ui/Button.tsx lies in src/"],
        ["home/app/docs/testing.md", "project", `imported by ${root}/home/app/src/CLAUDE.md`],
        ["home/app/src/CLAUDE.local.md", "local", "src/ui/Button.tsx lies in src/"],
        ["home/app/src/ui/AGENTS.md", "project", "src/ui/Button.tsx lies in src/ui/"],
        ["home/app/src/ui/.claude/rules/buttons.md", "project", "src/ui/Button.tsx matches Button*.tsx"],
        ["home/app/.claude/rules/ui.md", "project", "src/ui/Button.tsx matches **/ui/**"],
      ].map(([path, kind, reason]) => ({ path: `${root}/${path}`, kind, reason, for: cause })),
    );
    expect(report.skipped.every((one) => one.for === cause && one.path.startsWith("/"))).toBe(true);
    expect(report.skipped.map(({ path }) => short(path))).toContain("home/app/.claude/rules/python.md");
    expect(report.problems).toEqual([
      { path: `${root}/home/app/.claude/rules/ui.md`, problem: expect.stringContaining("is not valid YAML") },
    ]);
    expect(stdout).not.toContain("canary");
  });

  test("AGENTS.md of directories above the working directory hold, too", async () => {
    await shop();
    const { stdout } = await run(["--json"], `${root}/home/app/src/ui`);
    const report = JSON.parse(stdout) as InstructionsReport;
    expect(report.loaded.map(({ path }) => short(path))).toEqual([
      "home/.claude/CLAUDE.md",
      "home/.claude/tone.md",
      "home/.claude/rules/commits.md",
      "home/app/AGENTS.md",
      "home/app/docs/style.md",
      "home/app/CLAUDE.md",
      "home/app/.claude/rules/always.md",
      "home/app/src/CLAUDE.md",
      "home/app/docs/testing.md",
      "home/app/src/CLAUDE.local.md",
      "home/app/src/ui/AGENTS.md",
    ]);
  });

  test("--managed-dir, --deny and --allow-external-imports", async () => {
    await shop();
    await plant(root, { files: { "/managed/m.md": rule("'*.tsx'", "Managed.") } });
    const { stdout, stderr } = await run([
      "src/ui/Button.tsx",
      "--json",
      ...["--managed-dir", "../../managed", "--allow-external-imports"],
      ...["--deny", "src/ui/AGENTS.md", "--deny", "docs/"],
    ]);
    expect(stderr).toBe("");
    const { loaded, skipped } = JSON.parse(stdout) as InstructionsReport;
    expect(loaded.map(({ path, kind }) => [short(path), kind])).toEqual([
      ["managed/m.md", "managed"],
      ["home/.claude/rules/react.md", "user"],
      ["home/app/src/CLAUDE.md", "project"],
      ["home/private.md", "project"],
      ["home/app/src/CLAUDE.local.md", "local"],
      ["home/app/src/ui/.claude/rules/buttons.md", "project"],
      ["home/app/.claude/rules/ui.md", "project"],
    ]);
    expect(
      skipped.filter(({ reason }) => reason.startsWith("may not be read")).map(({ path }) => short(path)),
    ).toEqual(["home/app/docs/style.md", "home/app/docs/testing.md", "home/app/src/ui/AGENTS.md"]);
  });

  test("the config directory's rules are the user's", async () => {
    await plant(root, { files: { "/config/sotto/rules/own.md": "Own.", "/home/app/a.ts": "" } });
    const env = { HOME: `${root}/home`, XDG_CONFIG_HOME: `${root}/config` };
    const { stdout } = await sottoHere(["memory", "--json"], { cwd: `${root}/home/app`, env });
    expect((JSON.parse(stdout) as InstructionsReport).loaded).toEqual([
      {
        path: `${root}/config/sotto/rules/own.md`,
        kind: "user",
        reason: "user rule without paths",
        for: `${root}/home/app`,
      },
    ]);
  });
});

describe("wrong use: exit code 2, one line", () => {
  test("a working directory that is none", async () => {
    writeFileSync(join(root, "file"), "");
    expect(await run(["--cwd", `${root}/nope`], root)).toEqual({
      code: 2,
      stdout: "",
      stderr: `sotto: --cwd: no such directory: ${root}/nope\n`,
    });
    const message = `--cwd: ${root}/file is not a directory`;
    expect(await run(["--cwd", "file", "--json"], root)).toEqual({
      code: 2,
      stdout: `${JSON.stringify({ error: { code: "invalid_input", message } }, null, 2)}\n`,
      stderr: `sotto: ${message}\n`,
    });
  });

  test("an empty path", async () => {
    expect(await run([""], root)).toEqual({ code: 2, stdout: "", stderr: "sotto: a path is empty\n" });
  });
});

test("a directory as path, or a managed directory that is not there, is worth a word", async () => {
  await plant(root, { files: { "/home/app/src/AGENTS.md": "Sources." } });
  const { code, stdout, stderr } = await run(["src", "--managed-dir", "/nope"]);
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: "With src: nothing new\n",
    stderr: `sotto: ${root}/home/app/src is a directory: pass a file in it to see what loads with that file\nsotto: --managed-dir: no such directory: /nope\n`,
  });
});

test("the user's own config holds where no flag overrules it", async () => {
  await shop();
  await plant(root, {
    dirs: [],
    files: {
      "/home/.config/sotto/config.toml": `[system_reminder.memory]\nallow_external_imports = true\nmanaged_dir = "${root}/managed"\n`,
      "/managed/all.md": "For everyone.",
    },
  });
  const report = JSON.parse((await run(["src/ui/Button.tsx", "--json"])).stdout) as InstructionsReport;
  expect(report.start?.[0]?.path).toBe(`${root}/managed/all.md`);
  expect(report.loaded.map(({ path }) => path)).toContain(`${root}/home/private.md`);
});
