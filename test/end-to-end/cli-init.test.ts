// `sotto init` on real homes and projects: what it writes, that nothing else changes, and that it is taken back whole.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookTable } from "../../packages/cli/src/init/hook-table.ts";
import { initYard } from "../../packages/cli/test/init-yard.ts";

const SETTINGS = `{
    "permissions": { "allow": ["Bash(ls)"] },
    "hooks": {
        "PostToolUse": [
            { "matcher": "Edit", "hooks": [{ "type": "command", "command": "prettier" }] }
        ]
    },
    "cleanupPeriodDays": 30.0
}`;

test("every agent that is found is wired in its own file; a second time nothing changes; undo gives the bytes back", async () => {
  const yard = initYard();
  yard.installOnPath();
  for (const binary of ["claude", "codex", "gemini", "qwen"]) yard.installAgent(binary);
  yard.put(".claude/settings.json", SETTINGS);
  chmodSync(join(yard.project, ".claude/settings.json"), 0o640);

  const first = await yard.init("--yes");
  expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: "" });
  for (const words of [
    "+++ b/.codex/hooks.json",
    "Codex runs a new or changed hook only after you trust it",
    "Gemini CLI runs a project's hooks only in a trusted folder",
    "Qwen Code runs a project's hooks only in a trusted folder",
  ])
    expect(first.stdout).toContain(words);
  const read = (path: string) => JSON.parse(yard.text(path) ?? "null");
  const { hooks, ...others } = read(".claude/settings.json");
  const { PostToolUse = [], ...table } = hookTable("claude-code");
  const prettier = { matcher: "Edit", hooks: [{ type: "command", command: "prettier" }] };
  expect(hooks).toEqual({ ...table, PostToolUse: [prettier, ...PostToolUse] });
  expect(others).toEqual({ permissions: { allow: ["Bash(ls)"] }, cleanupPeriodDays: 30 });
  expect(yard.text(".claude/settings.json")).toContain('"cleanupPeriodDays": 30.0\n}');
  expect(statSync(join(yard.project, ".claude/settings.json")).mode & 0o777).toBe(0o640);
  expect(read(".codex/hooks.json")).toEqual({ hooks: hookTable("codex") });
  expect(read(".gemini/settings.json")).toEqual({ hooks: hookTable("gemini-cli") });
  expect(read(".qwen/settings.json")).toEqual({ hooks: hookTable("qwen-code") });

  const written = yard.text(".claude/settings.json");
  const again = await yard.init();
  expect({ code: again.code, stderr: again.stderr }).toEqual({ code: 0, stderr: "" });
  expect(again.stdout).toContain("set up in .claude/settings.json");
  expect(yard.text(".claude/settings.json")).toBe(written);

  const [record = ""] = readdirSync(yard.state);
  expect(statSync(join(yard.state, record)).mode & 0o777).toBe(0o600);
  const back = await yard.init("--undo", "--yes");
  expect({ code: back.code, stderr: back.stderr }).toEqual({ code: 0, stderr: "" });
  expect(yard.text(".claude/settings.json")).toBe(SETTINGS);
  expect(readdirSync(yard.project)).toEqual([".claude"]);
  expect(readdirSync(yard.state)).toEqual([]);
  expect((await yard.init("--undo")).stdout).toBe("Sotto is not set up in this project.\n");
});

test("undo after the user's own edits takes out our hooks alone", async () => {
  const yard = initYard();
  yard.installOnPath();
  yard.put(".claude/settings.json", SETTINGS);
  await yard.init("--yes", "--agent", "claude-code");
  const edited = (yard.text(".claude/settings.json") ?? "").replace('"Bash(ls)"', '"Bash(ls)", "Bash(cat)"');
  yard.put(".claude/settings.json", edited);
  const { code, stdout } = await yard.init("--undo", "--yes");
  expect(code).toBe(0);
  expect(stdout).toContain("removes our hooks from .claude/settings.json");
  expect(yard.text(".claude/settings.json")).toBe(SETTINGS.replace('"Bash(ls)"', '"Bash(ls)", "Bash(cat)"'));
});

test("undo without a record finds our hooks by their command", async () => {
  const yard = initYard({ asProcess: true });
  const text = JSON.stringify(
    { hooks: { Stop: [{ hooks: [{ type: "command", command: "beep" }] }] } },
    null,
    2,
  );
  yard.put(".qwen/settings.json", text);
  await yard.init("--yes", "--agent", "qwen");
  expect(yard.text(".qwen/settings.json")).toContain("/bin/sotto.js hook qwen-code");
  for (const record of readdirSync(yard.state))
    writeFileSync(join(yard.state, record), '{"version":1,"files":[]}');
  const { code } = await yard.init("--undo", "--yes");
  expect({ code, text: yard.text(".qwen/settings.json") }).toEqual({ code: 0, text });
});

test("an older wiring is brought up to date, and undo still gives what was there before the first", async () => {
  const yard = initYard();
  yard.installOnPath();
  yard.put(".codex/hooks.json", '{ "description": "mine" }\n');
  await yard.init("--yes", "--agent", "codex");
  const old = (yard.text(".codex/hooks.json") ?? "").replaceAll('"timeout": 5', '"timeout": 60');
  yard.put(".codex/hooks.json", old);
  expect((await yard.doctor()).Codex).toMatchObject({
    status: "warning",
    words: "set up in .codex/hooks.json, out of date",
  });
  const { stdout } = await yard.init("--yes", "--agent", "codex");
  expect(stdout).toContain("out of date in .codex/hooks.json");
  expect(JSON.parse(yard.text(".codex/hooks.json") ?? "")).toEqual({
    description: "mine",
    hooks: hookTable("codex"),
  });
  await yard.init("--undo", "--yes");
  expect(yard.text(".codex/hooks.json")).toBe('{ "description": "mine" }\n');
});

test("the command: by name, from the project's packages, or by path in the settings for this machine alone", async () => {
  const yard = initYard({ name: "a project's folder" });
  const command = (path: string) => {
    const { hooks } = JSON.parse(yard.text(path) ?? "{}");
    return Object.values(hooks as ReturnType<typeof hookTable>)[0]?.[0]?.hooks[0]?.command;
  };
  const byPath = await yard.init("--yes", "--agent", "claude", "--agent", "gemini");
  expect(command(".claude/settings.local.json")).toMatch(
    /^\S*node\S* \S+\/bin\/sotto\.js hook claude-code$/u,
  );
  expect(command(".gemini/settings.json")).toMatch(/\/bin\/sotto\.js hook gemini-cli \|\| true$/u);
  expect(byPath.stdout).toContain("so they go into its local settings");
  expect(byPath.stdout).toContain("keep this file out of Git, or use --user");
  expect(yard.text(".claude/settings.json")).toBeUndefined();
  await yard.init("--undo", "--yes");

  mkdirSync(join(yard.project, "node_modules/.bin"), { recursive: true });
  mkdirSync(join(yard.project, "node_modules/sotto-cli/bin"), { recursive: true });
  yard.put("node_modules/sotto-cli/package.json", '{ "name": "sotto-cli" }');
  yard.put("node_modules/sotto-cli/bin/sotto.js", "");
  symlinkSync("../sotto-cli/bin/sotto.js", join(yard.project, "node_modules/.bin/sotto"));
  mkdirSync(join(yard.project, ".git"));
  await yard.init("--yes", ...["claude", "codex", "gemini", "qwen"].flatMap((name) => ["--agent", name]));
  expect(
    [".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json", ".qwen/settings.json"].map(
      command,
    ),
  ).toEqual([
    '"$CLAUDE_PROJECT_DIR"/node_modules/.bin/sotto hook claude-code',
    '"$(git rev-parse --show-toplevel)"/node_modules/.bin/sotto hook codex',
    `"\${GEMINI_PROJECT_DIR}"/node_modules/.bin/sotto hook gemini-cli || true`,
    `"\${QWEN_PROJECT_DIR}"/node_modules/.bin/sotto hook qwen-code`,
  ]);
  await yard.init("--undo", "--yes");

  yard.installOnPath();
  await yard.init("--yes", "--agent", "claude");
  expect(command(".claude/settings.json")).toBe("sotto hook claude-code");
});

test("--user wires all projects, which then need no wiring of their own", async () => {
  const yard = initYard();
  yard.installOnPath();
  mkdirSync(join(yard.home, ".claude"));
  const { code } = await yard.init("--user", "--yes");
  expect(code).toBe(0);
  expect(existsSync(join(yard.home, ".claude/settings.json"))).toBe(true);
  const project = await yard.init("--yes");
  expect(project.stdout).toContain("set up for all your projects in ~/.claude/settings.json");
  expect(yard.text(".claude/settings.json")).toBeUndefined();
  await yard.init("--user", "--undo", "--yes");
  expect(readdirSync(join(yard.home, ".claude"))).toEqual([]);
});

test("--config makes a sotto.toml that changes nothing; edited since, it stays at undo", async () => {
  const yard = initYard();
  const { stdout } = await yard.init("--config", "--yes");
  expect(stdout).toContain("+++ b/sotto.toml");
  const text = yard.text("sotto.toml") ?? "";
  const todo = text.replaceAll("# todo_reminder", "todo_reminder");
  yard.put("sotto.toml", todo);
  expect((await yard.doctor()).config).toMatchObject({ status: "ok" });
  yard.put("sotto.toml", todo.replaceAll("# edited_", "edited_"));
  expect((await yard.doctor()).config).toMatchObject({ status: "warning" });
  const undone = await yard.init("--undo", "--yes");
  expect(undone.stdout).toContain("sotto.toml has changed since, so it stays");
  expect(yard.text("sotto.toml")).toContain("todo_reminder = false");
});

test("libraries that talk to models are named, with lines to add and their page; no source is changed", async () => {
  const yard = initYard();
  yard.put(
    "package.json",
    JSON.stringify({ dependencies: { ai: "7" }, devDependencies: { langchain: "1" } }),
  );
  yard.put("requirements.txt", "anthropic>=0.40\nopenai-whisper\n");
  const { stdout, code } = await yard.init("--json");
  expect(code).toBe(0);
  const { frameworks } = JSON.parse(stdout) as {
    frameworks: { package: string; guide: string; file: string }[];
  };
  expect(frameworks.map(({ package: name, guide, file }) => ({ name, guide, file }))).toEqual([
    { name: "ai", guide: "docs/guide/ai-sdk.md", file: "package.json" },
    { name: "langchain", guide: "docs/guide/frameworks.md", file: "package.json" },
    { name: "anthropic", guide: "docs/guide/any-language.md", file: "requirements.txt" },
  ]);
  expect(readdirSync(yard.project).sort()).toEqual(["package.json", "requirements.txt"]);
});

test("a link stays a link, and the file behind it is changed", async () => {
  const yard = initYard();
  yard.installOnPath();
  const real = join(yard.root, "dotfiles.json");
  writeFileSync(real, "{}\n");
  mkdirSync(join(yard.project, ".qwen"));
  const link = join(yard.project, ".qwen/settings.json");
  symlinkSync(real, link);
  const { stdout } = await yard.init("--yes", "--agent", "qwen-code");
  expect(stdout).toContain(`is a link out of the project: the hooks go into ${realpathSync(real)}.`);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(real, "utf8"))).toEqual({ hooks: hookTable("qwen-code") });
  await yard.init("--undo", "--yes");
  expect({ isLink: lstatSync(link).isSymbolicLink(), text: readFileSync(real, "utf8") }).toEqual({
    isLink: true,
    text: "{}\n",
  });
});
