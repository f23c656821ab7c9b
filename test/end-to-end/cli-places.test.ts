// Directories, stores and addresses that are not what they should be: one clear error, and nothing is written.

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import { finished, sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";

const NONE = "/no-such-place/none";

test.each<[args: string[], name: string]>([
  [["trust", NONE], "DIR"],
  [["trust", NONE, "--revoke"], "DIR"],
  [["init", NONE], "DIR"],
  [["doctor", "--cwd", NONE], "--cwd"],
  [["memory", "--cwd", NONE], "--cwd"],
  [["mentions", "--cwd", NONE, "@x"], "--cwd"],
  [["run", "-p", "hi", "--cwd", NONE], "--cwd"],
  [["run", "-p", "hi", "--add-dir", NONE], "--add-dir"],
  [["gateway", "--workspace", NONE], "--workspace"],
  [["wrap", "--workspace", NONE, "--", "true"], "--workspace"],
])("a directory that does not exist is an error: %j", async (args, name) => {
  const home = temporaryDirectory();
  const { code, stdout, stderr } = await sottoHere(args, { cwd: home, env: { HOME: home } });
  expect({ code, stdout, stderr }).toEqual({
    ...{ code: 2, stdout: "" },
    stderr: `sotto: ${name}: no such directory: ${NONE}\n`,
  });
  expect(readdirSync(home)).toEqual([]);
});

const FILES: [args: string[], name: string][] = [
  [["run", "-p", "hi", "--scenario", NONE], "--scenario"],
  [["run", "-p", "hi", "--mcp-config", NONE], "--mcp-config"],
  [["run", "-p", "hi", "--memory-file", NONE], "--memory-file"],
  [["store", "import", NONE], "FILE"],
  [["store", "export", "--out", NONE], "--out"],
];

test.each(FILES)("a file that cannot be used is wrong usage: %j", async (args, name) => {
  const home = temporaryDirectory();
  const isWritten = name === "--out";
  const stored = join(home, "sotto.db");
  if (isWritten) await sottoHere(["turn", "--session", "s", "--store", stored], { cwd: home, input: "{}" });
  const before = readdirSync(home);
  const inPlace = (path: string) => args.map((arg) => (arg === NONE ? path : arg));
  const run = (given: string[]) =>
    sottoHere(given, { cwd: home, env: { HOME: home, ...(isWritten && { SOTTO_STORE: stored }) } });
  const part = isWritten ? ".part" : "";
  expect(await run(args)).toEqual({
    ...{ code: 2, stdout: "" },
    stderr: `sotto: ${name}: ${NONE}${part} cannot be reached: there is no directory ${dirname(NONE)}; correct the path\n`,
  });
  expect(await run(inPlace(home))).toEqual({
    ...{ code: 2, stdout: "" },
    stderr: `sotto: ${name}: ${home} ${isWritten ? "already exists" : "is a directory; name a file"}\n`,
  });
  expect(readdirSync(home)).toEqual(before);
});

test("every file that a command line can name is tried above", async () => {
  const help = async (...command: string[]) => (await sottoHere([...command, "--help"])).stdout;
  const listed = (text: string) => [...(text.split("Commands:")[1] ?? "").matchAll(/^ {2}(\w+)/gmu)];
  const found: string[] = [];
  const look = async (...command: string[]): Promise<void> => {
    const text = await help(...command);
    for (const [, option, argument] of text.matchAll(/^ +(?:-\w, )?(--[\w-]+) <file>|^Usage:.* <(file)>/gmu))
      found.push([...command, option ?? argument?.toUpperCase()].join(" "));
    for (const [, name = ""] of listed(text)) if (name !== "help") await look(...command, name);
  };
  await look();
  const tried = FILES.map(([[first = "", second = ""], name]) =>
    [first, ...(first === "store" ? [second] : []), name].join(" "),
  );
  expect(found.toSorted()).toEqual(tried.toSorted());
});

test("an empty file is no store, and stays empty", async () => {
  const home = temporaryDirectory();
  const path = join(home, "empty.db");
  writeFileSync(path, "");
  const { code, stderr } = await sottoHere(["store", "check", "--store", path], { cwd: home });
  expect(stderr).toContain(`${path} is an empty file, not a store`);
  expect([code, statSync(path).size, readdirSync(home)]).toEqual([1, 0, ["empty.db"]]);
});

const READERS = [["explain"], ["log"], ["sessions"], ["stats"], ["store", "check"], ["store", "export"]];

test.each([
  ...READERS,
  ["store", "prune", "--keep-last", "1"],
  ["mute", "todo_list"],
  ["turn", "--session", "s"],
])("a store that cannot be reached is named, with what to do: %j", async (...args) => {
  const home = temporaryDirectory();
  symlinkSync(join(home, "loop"), join(home, "loop"));
  for (const store of [join(home, "loop"), join(home, "x".repeat(300)), home]) {
    const ran = await sottoHere([...args, "--store", store], { cwd: home, input: "{}" });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`${store} `) });
    expect(ran.stderr).toMatch(/(?:; |\. )(?:correct|name|use) /iu);
  }
});

test("a home in which nothing can be made is named, with what to do: sotto run", async () => {
  const cwd = temporaryDirectory();
  const home = join(cwd, "file");
  writeFileSync(home, "");
  const { code, stderr } = await sottoHere(["run", "-p", "hi"], { cwd, env: { HOME: home } });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `sotto: ${home}/.local/state/sotto/conversations cannot be reached: a part of its path is a file, not a directory; correct the path\n`,
  });
});

test.each<[args: string[], env: Record<string, string>, name: string]>([
  [["--model", "compatible/m", "--base-url", "notaurl"], {}, "--base-url"],
  [["--base-url", "notaurl"], {}, "--base-url"],
  [["--model", "compatible/m"], { SOTTO_BASE_URL: "notaurl" }, "SOTTO_BASE_URL"],
])("an address that is none is named: sotto run %j", async (args, env, name) => {
  const home = temporaryDirectory();
  const run = (given: string[]) => sottoHere(given, { cwd: home, env: { HOME: home, ...env } });
  const { code, stderr } = await run(["run", "-p", "hi", ...args]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `sotto: ${name}: "notaurl" is not an address; expected one such as http://localhost:8080/v1\n`,
  });
});

test.each([["trust"], ["memory"], ["doctor"], ["gateway"], ["run", "-p", "hi"], ["turn"]])(
  "in a directory that was removed it says so: sotto %s",
  async (...args) => {
    const home = temporaryDirectory();
    const gone = join(home, "gone");
    mkdirSync(gone);
    const child = spawn(
      "sh",
      ["-c", 'rmdir "$PWD"; exec "$@"', "sh", process.execPath, built().main, ...args],
      {
        cwd: gone,
        env: { PATH: process.env.PATH, HOME: home, TMPDIR: home },
      },
    );
    child.stdin.on("error", () => undefined).end("{}");
    const { code, stderr } = await finished(child);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "sotto: the current directory no longer exists; change to one that does\n",
    });
  },
);
