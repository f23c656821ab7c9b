// The program as a whole: version, help, wrong use, its launcher.

import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import manifest from "../../packages/cli/package.json" with { type: "json" };
import { runSotto, sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { findOldNode } from "../support/old-node.ts";

const launcher = fileURLToPath(new URL("../../packages/cli/bin/sotto.js", import.meta.url));

const COMMANDS = [
  ...[
    "run",
    "send",
    "turn",
    "serve",
    "gateway",
    "wrap",
    "memory",
    "mentions",
    "catalog",
    "sessions",
    "explain",
    "log",
  ],
  ...["stats", "store", "init", "doctor", "hook", "mute", "unmute", "trust", "demo"],
];
const STORE_COMMANDS = ["check", "export", "import", "prune", "purge"].map((name) => `store ${name}`);

describe("version and help", () => {
  test.each(["--version", "-V"])("%s gives the package's version", async (flag) => {
    expect(await runSotto([flag])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });

  test("--help lists the commands, with examples, and loads neither a command nor the library", async () => {
    const { code, stdout, stderr } = await runSotto(["--help"], { env: { NODE_DEBUG: "esm" } });
    expect(code).toBe(0);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gmu)].map(([, name]) => name);
    expect(listed).toEqual(COMMANDS);
    expect(stdout).toMatch(/^Examples:\n {2}\$ /mu);
    expect(longLines(stdout)).toEqual([]);
    const loaded = [...new Set(stderr.match(/sotto(?:-cli)?\/dist\/[\w-]+(?=\.js)/gu))];
    expect(loaded).toContainEqual(expect.stringMatching(/^sotto-cli\/dist\/program-/u));
    const commands = new RegExp(`^sotto/|dist/(?:${COMMANDS.join("|")})-`, "u");
    expect(loaded.filter((path) => commands.test(path))).toEqual([]);
  });

  test.each([...COMMANDS, ...STORE_COMMANDS])(
    "%s --help has examples and fits into 80 columns",
    async (command) => {
      const { code, stdout } = await sottoHere([...command.split(" "), "--help"]);
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^Usage: sotto ${command} `, "u"));
      expect(stdout).toMatch(new RegExp(`^Examples:\\n(?: {2}.*\\n)* .*sotto ${command}`, "mu"));
      expect(longLines(stdout)).toEqual([]);
    },
  );

  test("help COMMAND prints what COMMAND --help prints", async () => {
    const { stdout } = await sottoHere(["store", "prune", "--help"]);
    expect(await runSotto(["help", "store", "prune"])).toEqual({ code: 0, stdout, stderr: "" });
    expect(await sottoHere(["help", "trun"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "sotto: unknown command 'trun' (Did you mean one of run, turn?)\n",
    });
  });

  test("help is plain text where nobody looks at a terminal", async () => {
    const { stdout } = await runSotto(["catalog"], { env: { FORCE_COLOR: "1", TERM: "xterm-256color" } });
    expect(stdout).not.toContain("\u001b");
  });
});

describe("wrong use: exit code 2, one line", () => {
  test("without a command the help is shown on stderr", async () => {
    const { code, stdout, stderr } = await runSotto([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^Usage: sotto /u);
  });

  test.each([
    [["trun"], "sotto: unknown command 'trun' (Did you mean one of run, turn?)\n"],
    [["turn", "--sesion", "x"], "sotto: unknown option '--sesion' (Did you mean --session?)\n"],
    [["catalog", "--jsn"], "sotto: unknown option '--jsn' (Did you mean --json?)\n"],
    [["turn", "extra"], "sotto: too many arguments for 'turn'. Expected 0 arguments but got 1: extra.\n"],
    [["turn", "--session"], "sotto: option '--session <id>' argument missing\n"],
    [["turn", "--json", "--pretty"], "sotto: option '--json' cannot be used with option '--pretty'\n"],
    [
      ["explain", "--turn", "zero"],
      "sotto: option '--turn <n>' argument 'zero' is invalid. Expected a whole number from 1.\n",
    ],
    [
      ["log", "--kind", "evnt"],
      "sotto: option '--kind <kind>' argument 'evnt' is invalid. Allowed choices are event, delivery, turn.\n",
    ],
  ])("%j", async (args, stderr) => {
    expect(await sottoHere(args)).toEqual({ code: 2, stdout: "", stderr });
  });
});

describe("launcher", () => {
  test("an older Node is told which one is needed", () => {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"18.19.0"})`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", pretend, launcher, "--version"],
      {
        encoding: "utf8",
      },
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^sotto: needs Node 22\.13 or later, this is v[\d.]+ \(.+\)\n$/u);
  });

  const old = findOldNode();
  test.skipIf(old === undefined)("a really older Node is told, too", () => {
    const { status, stdout, stderr } = spawnSync(old as string, [launcher, "--version"], {
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^sotto: needs Node 22\.13 or later, this is v[\d.]+ \(.+\)\n$/u);
  });

  function copyLauncher(directory: string): void {
    mkdirSync(directory);
    for (const name of ["sotto.js", "package.json"])
      copyFileSync(join(launcher, "..", name), join(directory, name));
  }

  test("a checkout that is not built is told how", () => {
    const bin = join(temporaryDirectory(), "bin");
    copyLauncher(bin);
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(bin, "sotto.js")], {
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "",
      stderr: "sotto: is not built yet: run `npm run build` first\n",
    });
  });

  test("a hook call of an agent fails nobody, whatever is missing", () => {
    const bin = join(temporaryDirectory(), "bin");
    copyLauncher(bin);
    const event = { input: "{}", encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(bin, "sotto.js"), "hook", "codex"],
      event,
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: "",
      stderr: "sotto: is not built yet: run `npm run build` first\n",
    });
  });

  test("a built one runs the program", () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, "dist"));
    writeFileSync(join(root, "package.json"), '{"type":"module"}');
    writeFileSync(join(root, "dist", "main.js"), "console.log(process.argv.slice(2).join());\n");
    copyLauncher(join(root, "bin"));
    expect(
      execFileSync(process.execPath, [join(root, "bin", "sotto.js"), "a", "b"], { encoding: "utf8" }),
    ).toBe("a,b\n");
  });
});

function longLines(text: string): string[] {
  return text.split("\n").filter((line) => line.length > 80);
}
