// Hook files on a real disk: which are read, which may run, and what is told of the others.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hooksFor } from "sotto/hooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const trust = { user: true };
let cwd: string;
let home: string;
beforeEach(() => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "sotto-hooks-for-")));
  [cwd, home] = [join(directory, "project"), join(directory, "home")];
  mkdirSync(cwd);
});
afterEach(() => rmSync(dirname(cwd), { recursive: true, force: true }));

const table = (command: string, more: object = {}) => ({
  hooks: { Stop: [{ hooks: [{ type: "command", command }] }] },
  ...more,
});

function write(path: string, content: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const everywhere = () => ({
  own: write(join(home, ".config/sotto/hooks.json"), table("own")),
  claude: write(join(home, ".claude/settings.json"), table("claude", { model: "x" })),
  project: write(join(cwd, ".sotto/hooks.json"), table("project")),
  settings: write(join(cwd, ".claude/settings.json"), table("settings")),
  local: write(join(cwd, ".claude/settings.local.json"), table("local")),
});
const commands = (hooks: readonly { command: string }[]) => hooks.map(({ command }) => command);
const UNTRUSTED = "its hooks run only once the file is trusted";

describe("AC-50 hook files", () => {
  it("run none but the user's own unless they are trusted, and say so", async () => {
    const { claude, project, settings, local } = everywhere();
    expect(await hooksFor({ cwd, home, trust })).toEqual({
      hooks: [{ event: "Stop", matcher: "", command: "own", async: false, env: {} }],
      leftOut: [claude, project, settings, local].map((path) => ({
        path,
        reason: UNTRUSTED,
        needsTrust: true,
      })),
      problems: [],
    });
  });

  it("are the project's alone unless the user's are asked for", async () => {
    everywhere();
    const { hooks, leftOut } = await hooksFor({ cwd, home, trust: { project: async () => true } });
    expect([commands(hooks), leftOut]).toEqual([["project", "settings", "local"], []]);
  });

  it("are trusted one by one, by their content; who cannot be asked has not said yes", async () => {
    const { project, local } = everywhere();
    const asked: string[] = [];
    const { hooks } = await hooksFor({
      cwd,
      home,
      trust: {
        user: true,
        async project(path, content) {
          asked.push(path);
          if (path === local) throw new Error("no book");
          return path === project && content === JSON.stringify(table("project"));
        },
      },
    });
    expect(commands(hooks)).toEqual(["own", "project"]);
    expect(asked).toHaveLength(4);
  });

  it("are all taken where all are trusted, in order", async () => {
    everywhere();
    const { hooks, leftOut } = await hooksFor({ cwd, home, trust: { ...trust, project: async () => true } });
    expect(commands(hooks)).toEqual(["own", "claude", "project", "settings", "local"]);
    expect(leftOut).toEqual([]);
  });

  it("a file without hooks is nobody's business", async () => {
    write(join(cwd, ".claude/settings.json"), { permissions: {} });
    const project = async () => expect.unreachable();
    expect(await hooksFor({ cwd, home, trust: { ...trust, project } })).toEqual({
      hooks: [],
      leftOut: [],
      problems: [],
    });
  });
});

describe("hook files that are not as they should be", () => {
  const trusted = () => hooksFor({ cwd, home, trust: { ...trust, project: async () => true } });

  it("broken ones are told, and cost only themselves", async () => {
    const own = write(join(home, ".config/sotto/hooks.json"), '{"hooks": ');
    const settings = write(join(cwd, ".claude/settings.json"), {
      hooks: {
        Stop: [
          {
            hooks: [
              { type: "command", command: "good" },
              { type: "prompt", prompt: "?" },
            ],
          },
        ],
        Later: [],
      },
    });
    const { hooks, problems } = await trusted();
    expect(commands(hooks)).toEqual(["good"]);
    expect(problems).toEqual([
      expect.stringContaining(`${own}: it is not JSON`),
      `${settings}: hooks.Stop[0].hooks[1]: hooks of the type "prompt" are not run, only commands are`,
      `${settings}: hooks: "Later" is not an event`,
    ]);
  });

  it("a file speaks for its own hooks alone when it says disableAllHooks", async () => {
    write(join(home, ".config/sotto/hooks.json"), table("guard"));
    const settings = write(join(cwd, ".claude/settings.json"), table("x", { disableAllHooks: true }));
    const { hooks, leftOut } = await trusted();
    expect(commands(hooks)).toEqual(["guard"]);
    expect(leftOut).toEqual([{ path: settings, reason: "it says disableAllHooks" }]);
  });

  it("calls of Sotto's own hook program are for other agents", async () => {
    const handlers = [
      { command: "sotto hook claude-code" },
      { command: "npx sotto-cli hook claude-code" },
      { command: '"$CLAUDE_PROJECT_DIR"/node_modules/.bin/sotto hook claude-code' },
      { command: "sotto", args: ["hook", "claude-code"] },
      { command: "echo sotto hooks" },
    ].map((handler) => ({ type: "command", ...handler }));
    write(join(cwd, ".claude/settings.json"), { hooks: { Stop: [{ hooks: handlers }] } });
    expect(commands((await trusted()).hooks)).toEqual(["echo sotto hooks"]);
  });

  it("a file with nothing but such calls has nothing to be trusted for", async () => {
    const handler = { type: "command", command: "/usr/bin/node '/a b/bin/sotto.js' hook claude-code" };
    write(join(cwd, ".claude/settings.local.json"), { hooks: { Stop: [{ hooks: [handler] }] } });
    const asked: string[] = [];
    const project = async (path: string) => asked.push(path) === 0;
    expect(await hooksFor({ cwd, home, trust: { ...trust, project } })).toMatchObject({
      hooks: [],
      leftOut: [],
      problems: [],
    });
    expect(asked).toEqual([]);
  });

  it("what is no regular file, or too large, is left out", async () => {
    mkdirSync(join(cwd, ".claude/settings.json"), { recursive: true });
    mkdirSync(join(cwd, ".sotto"));
    symlinkSync("/dev/zero", join(cwd, ".sotto/hooks.json"));
    write(join(cwd, ".claude/settings.local.json"), " ".repeat(1024 * 1024 + 1));
    expect((await trusted()).leftOut.map(({ reason }) => reason)).toEqual([
      "it cannot be read (special)",
      "it cannot be read (directory)",
      "it has more than 1048576 bytes",
    ]);
  });
});
