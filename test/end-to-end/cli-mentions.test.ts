// `sotto mentions`: what a prompt mentions, for people and programs.

import { execFileSync } from "node:child_process";
import { beforeEach, describe, expect, test } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import { sottoHere } from "../../packages/cli/test/run-sotto.ts";
import { temporaryRoot } from "../support/file-cases.ts";
import { plant } from "../support/memory-files.ts";

let root: string;
beforeEach(async () => {
  root = temporaryRoot();
  await plant(root, {
    dirs: ["/home"],
    files: {
      "/app/src/a.ts": "a\n",
      "/app/my notes.md": "notes\n",
      "/app/.env": "KEY=canary\n",
      "/app/private/plan.md": "canary\n",
      "/home/todo.md": "todo\n",
    },
  });
});

const run = (input: string | Uint8Array, args: string[] = []) =>
  sottoHere(["mentions", ...args], { input, cwd: `${root}/app`, env: { HOME: `${root}/home` } });

const PROMPT = `Compare @src/a.ts#L10-20, @src/a.ts:7 and @src/a.ts:9-3 with @"my notes.md" in @src.
Then read @~/todo.md, @.env and @private/plan.md; ask @agent-reviewer about @github:issue://12 and @nope.ts.
Mail me@example.org.
`;
const NAMES = ["--mcp-server", "github", "--mcp-server", "jira", "--agent", "reviewer", "--deny", "private"];

test("as text", async () => {
  const { code, stdout, stderr } = await run(PROMPT, NAMES);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatchInlineSnapshot(`
    "Files
      src/a.ts     lines 10-20
      src/a.ts     line 7
      src/a.ts     Lines 9-3 make no sense: the last line is before the first.
      my notes.md
      ~/todo.md

    Directories
      src

    MCP resources
      github  issue://12

    Agents
      reviewer

    Not attached
      @.env             .env may not be read: it may contain secrets
      @private/plan.md  private/plan.md may not be read: private
      @nope.ts          there is nothing at nope.ts
    "
  `);
});

test("the prompt may stand on the command line", async () => {
  const { code, stdout } = await run("", ["see", "@src", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).directories).toEqual([`${root}/app/src`]);
});

test("--json: five lists, paths absolute", async () => {
  const { code, stdout, stderr } = await run(PROMPT, [...NAMES, "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({
    files: [
      { path: `${root}/app/src/a.ts`, lineStart: 10, lineEnd: 20 },
      { path: `${root}/app/src/a.ts`, lineStart: 7, lineEnd: 7 },
      { path: `${root}/app/src/a.ts`, lineStart: 9, lineEnd: 3 },
      { path: `${root}/app/my notes.md` },
      { path: `${root}/home/todo.md` },
    ],
    directories: [`${root}/app/src`],
    mcp: [{ server: "github", uri: "issue://12" }],
    agents: ["reviewer"],
    unresolved: [
      { text: "@.env", reason: `${root}/app/.env may not be read: it may contain secrets` },
      { text: "@private/plan.md", reason: `${root}/app/private/plan.md may not be read: private` },
      { text: "@nope.ts", reason: `there is nothing at ${root}/app/nope.ts` },
    ],
  });
});

test("a prompt without mentions", async () => {
  expect(await run("Hello there.")).toEqual({
    code: 0,
    stdout: "The prompt mentions nothing.\n",
    stderr: "",
  });
});

describe("wrong use: exit code 2, one line", () => {
  const hint =
    "pass a prompt on stdin, e.g. echo 'Look at @src' | sotto mentions (see sotto mentions --help)";

  test.each(["", " \n"])("an empty prompt, %j", async (input) => {
    expect(await run(input)).toEqual({ code: 2, stdout: "", stderr: `sotto: stdin is empty: ${hint}\n` });
  });

  test("a terminal as stdin", () => {
    const pretend = `data:text/javascript,Object.defineProperty(process.stdin,"isTTY",{value:true})`;
    const args = ["--import", pretend, built().main, "mentions"];
    expect(() => execFileSync(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })).toThrow(
      expect.objectContaining({ status: 2, stderr: Buffer.from(`sotto: ${hint}\n`) }),
    );
  });

  test("no text, and a working directory that is none", async () => {
    expect(await run(new Uint8Array([0x40, 0xff]))).toEqual({
      code: 2,
      stdout: "",
      stderr: "sotto: stdin is not UTF-8 text\n",
    });
    expect(await run("@a", ["--cwd", "nope"])).toEqual({
      code: 2,
      stdout: "",
      stderr: `sotto: --cwd: no such directory: ${root}/app/nope\n`,
    });
  });
});
