import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { SottoError } from "sotto";
import { type InstructionsForOptions, type InstructionsReport, instructionsFor } from "sotto/inspect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { plant } from "../../../test/support/memory-files.ts";
import { userDirectories } from "./platform/user-directories.ts";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(`${tmpdir()}/sotto-memory-for-`));
  await mkdir(`${root}/proj`);
});
afterEach(() => rm(root, { recursive: true }));

const ask = (more: Partial<InstructionsForOptions> = {}) =>
  instructionsFor({ cwd: `${root}/proj`, home: `${root}/home`, trust: { user: true }, ...more });
const short = (path: string) => path.slice(root.length + 1);
const loaded = (report: InstructionsReport) =>
  report.loaded.map(({ path, for: cause }) => [short(path), short(cause)]);
const skipped = (report: InstructionsReport) =>
  report.skipped.map(({ path, reason, for: cause }) => [
    short(path),
    reason.replaceAll(`${root}/`, ""),
    short(cause),
  ]);
const rule = (paths: string, body = "A rule.") => `---\npaths: ${paths}\n---\n${body}\n`;

describe("without paths", () => {
  it("is what loads at session start, in order, and what waits or is missing", async () => {
    await plant(root, {
      files: {
        "/home/.claude/CLAUDE.md": "Be terse.",
        "/home/.claude/rules/tone.md": "Kind.",
        "/home/.config/sotto/rules/own.md": "Own.",
        "/home/.claude/rules/react.md": rule('"**/*.tsx"'),
        "/proj/AGENTS.md": "See @docs/style.md and @gone.md",
        "/proj/docs/style.md": `${"long ".repeat(10_000)}`,
        "/proj/.claude/rules/all.md": "Always.",
        "/proj/CLAUDE.local.md": "Mine.",
      },
    });
    const report = await ask();
    const cwd = `${root}/proj`;
    expect(report).toEqual({
      loaded: [
        ["home/.claude/CLAUDE.md", "user", "the user's instructions for all projects"],
        ["home/.claude/rules/tone.md", "user", "user rule without paths"],
        ["home/.config/sotto/rules/own.md", "user", "user rule without paths"],
        ["proj/AGENTS.md", "project", "in the working directory"],
        ["proj/docs/style.md", "project", `imported by ${cwd}/AGENTS.md`, true],
        ["proj/.claude/rules/all.md", "project", "rule without paths in the working directory"],
        ["proj/CLAUDE.local.md", "local", "in the working directory"],
      ].map(([path, kind, reason, truncated]) => ({
        path: `${root}/${path}`,
        kind,
        reason,
        for: cwd,
        ...(truncated ? { truncated } : {}),
      })),
      skipped: [
        {
          path: `${root}/home/.claude/rules/react.md`,
          reason: "waits for a path that matches **/*.tsx",
          for: cwd,
        },
        { path: `${cwd}/gone.md`, reason: `does not exist (imported by ${cwd}/AGENTS.md)`, for: cwd },
      ],
      problems: [],
    });
  });
});

describe("with paths", () => {
  it("is what reading them one after the other brings, each version of a file once", async () => {
    await plant(root, {
      files: {
        "/proj/AGENTS.md": "Root.",
        "/proj/src/AGENTS.md": "Src. @../AGENTS.md @../docs/api.md",
        "/proj/docs/api.md": "Api.",
        "/proj/.claude/rules/ts.md": rule("'**/*.ts'"),
        "/proj/.claude/rules/py.md": rule("'**/*.py'"),
      },
    });
    const report = await ask({ paths: ["src/a.ts", `${root}/proj/src/b.py`, "src/a.ts"] });
    expect(loaded(report)).toEqual([
      ["proj/src/AGENTS.md", "proj/src/a.ts"],
      ["proj/docs/api.md", "proj/src/a.ts"],
      ["proj/.claude/rules/ts.md", "proj/src/a.ts"],
      ["proj/.claude/rules/py.md", "proj/src/b.py"],
    ]);
    expect(skipped(report)).toEqual([
      ["proj/AGENTS.md", "said already, at session start", "proj/src/a.ts"],
      ["proj/.claude/rules/py.md", "src/a.ts does not match **/*.py", "proj/src/a.ts"],
      ["proj/src/AGENTS.md", "said already, with proj/src/a.ts", "proj/src/b.py"],
      ["proj/AGENTS.md", "said already, at session start", "proj/src/b.py"],
      ["proj/docs/api.md", "said already, with proj/src/a.ts", "proj/src/b.py"],
      ["proj/.claude/rules/ts.md", "src/b.py does not match **/*.ts", "proj/src/b.py"],
      ["proj/src/AGENTS.md", "said already, with proj/src/a.ts", "proj/src/a.ts"],
      ["proj/AGENTS.md", "said already, at session start", "proj/src/a.ts"],
      ["proj/docs/api.md", "said already, with proj/src/a.ts", "proj/src/a.ts"],
      ["proj/.claude/rules/ts.md", "said already, with proj/src/a.ts", "proj/src/a.ts"],
      ["proj/.claude/rules/py.md", "src/a.ts does not match **/*.py", "proj/src/a.ts"],
    ]);
  });

  it("tells a problem once, however many paths meet it, and reads what needs a YAML parser", async () => {
    await plant(root, {
      files: {
        "/proj/.claude/rules/anchor.md":
          "---\nowner: &who core\npaths: ['src/**']\nasks: *who\n---\nA rule.\n",
        "/proj/.claude/rules/broken.md": "---\npaths: [src\n---\nA rule.\n",
      },
    });
    const report = await ask({ paths: ["src/a.ts", "src/b.ts"] });
    expect(loaded(report)).toEqual([["proj/.claude/rules/anchor.md", "proj/src/a.ts"]]);
    expect(report.problems).toEqual([
      {
        path: `${root}/proj/.claude/rules/broken.md`,
        problem: expect.stringMatching(/^its frontmatter cannot be read, so it is always loaded: \S/u),
      },
    ]);
  });

  it("is nothing for a path outside, and says so", async () => {
    const report = await ask({ paths: ["../other/a.ts"] });
    expect(report).toEqual({
      start: expect.any(Array),
      loaded: [],
      skipped: [
        {
          path: `${root}/other/a.ts`,
          reason: `is outside the working directory ${root}/proj: nothing speaks about it`,
          for: `${root}/other/a.ts`,
        },
      ],
      problems: [],
    });
  });
});

describe("what a host may say", () => {
  it("config: names, switches, the managed directory, external imports", async () => {
    await plant(root, {
      files: {
        "/managed/m.md": rule("'**/*.ts'"),
        "/home/.claude/rules/u.md": rule("'**/*.ts'"),
        "/proj/src/GEMINI.md": "Mine. @../../elsewhere/x.md",
        "/proj/src/AGENTS.md": "Not mine.",
        "/elsewhere/x.md": "X.",
      },
    });
    const memory = {
      file_names: ["GEMINI.md"],
      user_settings: false,
      managed_dir: `${root}/managed`,
      allow_external_imports: true,
    };
    const report = await ask({ paths: ["src/a.ts"], config: { memory } });
    expect(loaded(report).map(([path]) => path)).toEqual([
      "managed/m.md",
      "proj/src/GEMINI.md",
      "elsewhere/x.md",
    ]);
    expect(skipped(report).at(-2)).toEqual(["home/.claude/rules", "user_settings is off", "proj/src/a.ts"]);
  });

  it("a wrong config, in words", async () => {
    await expect(ask({ config: { memory: { file_name: [] } } as never })).rejects.toThrow(
      new SottoError("invalid_config", 'config.memory: "file_name" is not known; did you mean "file_names"?'),
    );
  });

  it("permissions: what may not be read is told and not shown; a pattern that cannot be understood is a problem", async () => {
    await plant(root, { files: { "/proj/src/AGENTS.md": "canary", "/proj/src/CLAUDE.md": "Fine." } });
    const report = await ask({ paths: ["src/a.ts"], permissions: { denyRead: ["AGENTS.md", "x["] } });
    expect(loaded(report)).toEqual([["proj/src/CLAUDE.md", "proj/src/a.ts"]]);
    expect(skipped(report)).toEqual([["proj/src/AGENTS.md", "may not be read: AGENTS.md", "proj/src/a.ts"]]);
    expect(report.problems).toEqual([
      {
        path: `${root}/proj`,
        problem: '"x[" cannot be understood: everything that begins with "x" is denied',
      },
    ]);
  });

  it("a relative working directory is one of the process", async () => {
    const { skipped: outside } = await instructionsFor({
      cwd: ".",
      home: `${root}/home`,
      paths: ["/elsewhere/a.ts"],
    });
    expect(outside[0]?.reason).toBe(
      `is outside the working directory ${process.cwd()}: nothing speaks about it`,
    );
  });
});

describe("the user's places", () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each([
    ["/etc/mine", "/etc/mine/sotto"],
    ["not/absolute", `${homedir()}/.config/sotto`],
    ["", `${homedir()}/.config/sotto`],
  ])("XDG_CONFIG_HOME=%s: %s", (given, configDirectory) => {
    vi.stubEnv("XDG_CONFIG_HOME", given);
    expect(userDirectories()).toMatchObject({ home: homedir(), configDirectory });
    expect(userDirectories(homedir())).toEqual(userDirectories());
  });

  it("XDG_STATE_HOME is where state is kept", () => {
    vi.stubEnv("XDG_STATE_HOME", "/var/mine");
    expect(userDirectories().stateDirectory).toBe("/var/mine/sotto");
  });

  it("a home that is named has its own", () => {
    vi.stubEnv("XDG_CONFIG_HOME", "/etc/mine");
    expect(userDirectories("/home/dev")).toEqual({
      home: "/home/dev",
      configDirectory: "/home/dev/.config/sotto",
      stateDirectory: "/home/dev/.local/state/sotto",
      managed: expect.any(Object),
    });
  });
});
