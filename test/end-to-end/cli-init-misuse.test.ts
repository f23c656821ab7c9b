// `sotto init` where something is in its way: nothing is half done, and the words name the place.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookTable } from "../../packages/cli/src/init/hook-table.ts";
import { built } from "../../packages/cli/test/built.ts";
import { type InitYard, initYard } from "../../packages/cli/test/init-yard.ts";

test("settings that are not exact JSON are named with line and column, and not touched; others are wired", async () => {
  const yard = initYard();
  yard.installOnPath();
  const text = '{\n  "model": "x", // mine\n}\n';
  yard.put(".claude/settings.json", text);
  mkdirSync(join(yard.project, ".qwen"));
  const { code, stdout, stderr } = await yard.init("--yes");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "sotto: 1 change not possible, see above\n",
  });
  expect(stdout).toContain(
    '.claude/settings.json:2:17: "/" stands where a name was expected; the file stays unchanged',
  );
  expect(yard.text(".claude/settings.json")).toBe(text);
  expect(JSON.parse(yard.text(".qwen/settings.json") ?? "")).toEqual({ hooks: hookTable("qwen-code") });
  expect(await yard.doctor()).toMatchObject({
    "Claude Code": {
      status: "warning",
      words: '.claude/settings.json:2:17: "/" stands where a name was expected',
    },
    "Qwen Code": { status: "ok", words: "set up in .qwen/settings.json" },
  });
});

test("a read-only file, a directory, a link to nothing, and no text: nothing is written", async () => {
  const yard = initYard();
  yard.installOnPath();
  const file = yard.put(".claude/settings.json", "{}");
  chmodSync(file, 0o444);
  const readOnly = await yard.init("--yes", "--agent", "claude-code");
  expect(readOnly).toMatchObject({ code: 1, stderr: `sotto: ${file} is read-only\n` });
  expect(yard.text(".claude/settings.json")).toBe("{}");

  mkdirSync(join(yard.project, ".gemini/settings.json"), { recursive: true });
  mkdirSync(join(yard.project, ".qwen"));
  symlinkSync("/nonexistent/settings", join(yard.project, ".qwen/settings.json"));
  mkdirSync(join(yard.project, ".codex"));
  writeFileSync(join(yard.project, ".codex/hooks.json"), Buffer.from([0x7b, 0xff, 0x7d]));
  const others = ["gemini-cli", "qwen-code", "codex"].flatMap((name) => ["--agent", name]);
  const { code, stdout } = await yard.init("--yes", ...others);
  expect(code).toBe(1);
  for (const words of [
    ".gemini/settings.json is not a file",
    ".qwen/settings.json is a broken link",
    ".codex/hooks.json is not UTF-8 text",
  ])
    expect(stdout).toContain(words);
  expect(readdirSync(yard.root)).not.toContain("state");
});

test("without a terminal nothing is written: with --dry-run that is fine, else it says what would help", async () => {
  const yard = initYard({ asProcess: true });
  yard.installOnPath();
  mkdirSync(join(yard.project, ".codex"));
  const asked = await yard.init();
  expect({ code: asked.code, stderr: asked.stderr }).toEqual({
    code: 1,
    stderr: "sotto: stdin is not a terminal, so nothing was written: use --yes to write, --dry-run to show\n",
  });
  const shown = await yard.init("--dry-run");
  expect({ code: shown.code, stderr: shown.stderr }).toEqual({ code: 0, stderr: "" });
  expect(shown.stdout).toContain("+++ b/.codex/hooks.json");
  const plan = await yard.init("--json");
  expect(JSON.parse(plan.stdout)).toMatchObject({
    scope: "project",
    proposals: [{ agent: "codex", status: "wire", file: join(yard.project, ".codex/hooks.json") }],
    notFound: ["claude-code", "gemini-cli", "qwen-code"],
    written: [],
  });
  expect(readdirSync(join(yard.project, ".codex"))).toEqual([]);
});

test("wrong use is told apart", async () => {
  const yard = initYard();
  const failure = async (...args: string[]) => {
    const { code, stderr } = await yard.init(...args);
    return { code, stderr };
  };
  expect(await failure("--agent", "claude-cod")).toEqual({
    code: 2,
    stderr:
      'sotto: --agent claude-cod: unknown agent; did you mean "claude-code"?; expected one of claude-code, codex, gemini-cli, qwen-code\n',
  });
  expect((await failure("--agent", "pi")).stderr).toContain("use `pi install` with plugins/pi of sotto-cli");
  expect(await failure(yard.home)).toEqual({
    code: 2,
    stderr: "sotto: this is your home directory: run it in a project, or use --user for all projects\n",
  });
  expect(await failure("nowhere")).toEqual({
    code: 2,
    stderr: `sotto: DIR: no such directory: ${join(yard.project, "nowhere")}\n`,
  });
});

test("doctor finds what is wired twice, and what cannot be started", async () => {
  const yard = initYard();
  await yard.init("--yes", "--agent", "claude-code", "--agent", "codex");
  const plugin = JSON.stringify({ enabledPlugins: { "sotto@sotto": true } });
  mkdirSync(join(yard.home, ".claude"));
  writeFileSync(join(yard.home, ".claude/settings.json"), plugin);
  yard.put(".codex/hooks.json", JSON.stringify({ hooks: hookTable("codex") }));
  expect(await yard.doctor()).toMatchObject({
    "Claude Code": {
      status: "problem",
      words:
        "set up twice: ~/.claude/settings.json (plugin) and .claude/settings.local.json; every reminder is sent as often",
    },
    Codex: {
      status: "problem",
      words: "set up in .codex/hooks.json, but `sotto hook codex` cannot be started",
    },
  });
  const { stdout } = await yard.init("--dry-run", "--agent", "claude-code");
  expect(stdout).toContain(
    "set up by the plugin in ~/.claude/settings.json; hooks in the settings would send everything twice",
  );
});

// A real terminal, where the machine has a program that makes one.
const hasScript = process.platform === "linux" && canRun("script", ["--version"]);

test.skipIf(!hasScript)(
  "at a terminal each agent is asked for; Ctrl-C leaves everything as it was",
  async () => {
    const yard = initYard({ asProcess: true });
    yard.installOnPath();
    for (const folder of [".claude", ".codex", ".qwen"]) mkdirSync(join(yard.project, folder));
    const files = () =>
      [".claude", ".codex", ".qwen"].flatMap((name) => readdirSync(join(yard.project, name)));

    expect(await atTerminal(yard, [], ["y\r", "\u0003"])).toMatchObject({ code: 1 });
    expect(files()).toEqual([]);
    expect(await atTerminal(yard, [], ["y\r", "\u0004"])).toMatchObject({ code: 1 });
    expect(files()).toEqual([]);
    const some = await atTerminal(yard, [], ["y\r", "n\r", "\r"]);
    expect(some.code).toBe(0);
    expect(some.output).toContain("Set up Claude Code? [y/N, a: this and all others, q: none]");
    expect(files()).toEqual(["settings.json"]);
    expect((await atTerminal(yard, [], ["a\r"])).code).toBe(0);
    expect(files()).toEqual(["settings.json", "hooks.json", "settings.json"]);
    const undone = await atTerminal(yard, ["--undo"], ["y\r", "q\r"]);
    expect(undone).toMatchObject({ code: 1 });
    expect(files()).toEqual(["settings.json", "hooks.json", "settings.json"]);
    expect((await atTerminal(yard, ["--undo"], ["a\r"])).code).toBe(0);
    expect(files()).toEqual([]);
  },
);

/** Each answer is typed when a question stands there. */
async function atTerminal(yard: InitYard, args: readonly string[], answers: readonly string[]) {
  const command = [process.execPath, built().main, "init", ...args];
  const child = spawn("script", ["-qec", command.map((word) => `'${word}'`).join(" "), "/dev/null"], {
    cwd: yard.project,
    env: { ...yard.environment, PATH: `${yard.environment.PATH}:${process.env.PATH}`, SHELL: "/bin/sh" },
  });
  let output = "";
  let answered = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
    const questions = output.split(/\? \[y\/N[^\]]*\] /u).length - 1;
    while (answered < Math.min(questions, answers.length)) child.stdin.write(answers[answered++] ?? "");
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

function canRun(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
