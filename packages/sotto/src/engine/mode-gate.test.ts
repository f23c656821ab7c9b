import type { ToolDescription } from "sotto";
import { describe, expect, it } from "vitest";
import { openSession } from "../../../../test/support/telling.ts";
import type { ModeEdge, ModeFact } from "../facts/mode.ts";
import { noEdges } from "../facts/pending.ts";
import { createAgentTools } from "../profiles/agent-tools.ts";
import { allows } from "./mode-gate.ts";

const plan: ModeFact = {
  name: "plan",
  planFilePath: "/repo/.claude/plans/main.md",
  entry: 1,
  left: [],
  ...noEdges<ModeEdge>(),
};
const ask = (toolName: string, input: unknown = {}, mode: ModeFact = plan, tools: ToolDescription[] = []) =>
  allows({
    mode,
    cwd: "/repo",
    toolName,
    input,
    tools: createAgentTools({ agent: { kind: "main" }, tools }),
  });

describe("in plan mode", () => {
  it.each([
    ..."Read Glob Grep LS NotebookRead WebFetch WebSearch TaskOutput BashOutput AgentOutputTool CollabRead".split(
      " ",
    ),
    ..."AskUserQuestion ExitPlanMode TodoWrite Task".split(" "),
  ])("%s is allowed: it changes nothing", (tool) => {
    expect(ask(tool)).toEqual({ allowed: true, reason: `${tool} changes nothing` });
  });

  it.each(["Bash", "KillShell", "mcp__db__query", "mcp__github__read_file", "lookup", "", "constructor"])(
    "%s is not: it may change things",
    (tool) => {
      expect(ask(tool, { file_path: plan.planFilePath })).toEqual({
        allowed: false,
        reason: `plan mode is on: ${tool} may change things, only reading tools and the plan file are allowed`,
      });
    },
  );

  it.each([
    ["Write", { file_path: "/repo/.claude/plans/main.md" }],
    ["Edit", { file_path: ".claude/plans/main.md" }],
    ["Edit", { file_path: "./.claude//plans/./main.md" }],
    ["MultiEdit", { filePath: "/repo/src/../.claude/plans/main.md" }],
    ["Write", { path: "../repo/.claude/plans/main.md" }],
    ["NotebookEdit", { notebook_path: "//repo//.claude/plans/main.md" }],
  ])("%s %j writes the plan file", (tool, input) => {
    expect(ask(tool, input)).toEqual({
      allowed: true,
      reason: "/repo/.claude/plans/main.md is the plan file",
    });
  });

  it.each([
    ["Write", { file_path: "/repo/src/a.ts" }, "/repo/src/a.ts"],
    ["Edit", { file_path: "/repo/.claude/plans/../main.md" }, "/repo/.claude/plans/../main.md"],
    ["Edit", { file_path: "main.md" }, "main.md"],
    ["Write", { file_path: "/repo/.claude/plans/main.md/" + "x" }, "/repo/.claude/plans/main.md/x"],
    ["Write", { file_path: "/repo/.claude/plans/MAIN.md" }, "/repo/.claude/plans/MAIN.md"],
    ["Write", { file_path: "/repo/.claude/plans/main.md", path: "/etc/passwd" }, "/etc/passwd"],
  ])("%s %j is not allowed", (tool, input, path) => {
    expect(ask(tool, input)).toEqual({
      allowed: false,
      reason: `plan mode is on: only the plan file /repo/.claude/plans/main.md may be written, not ${path}`,
    });
  });

  it.each([{}, null, undefined, "x", 7, [], { file_path: 7 }, { file_path: null }])(
    "writing with the input %j is not allowed: it names no file",
    (input) => {
      expect(ask("Write", input)).toEqual({
        allowed: false,
        reason: "plan mode is on, and Write does not say which file it writes",
      });
    },
  );

  it("writing is not allowed where no plan file is known", () => {
    const { planFilePath: _, ...mode } = plan;
    expect(ask("Write", { file_path: "/repo/plan.md" }, mode)).toEqual({
      allowed: false,
      reason: "plan mode is on, and no plan file is known",
    });
  });

  it("tools that the host described are what it says they are", () => {
    const tools: ToolDescription[] = [
      { name: "search_code", kind: "read" },
      { name: "apply_patch", kind: "write" },
      { name: "deploy", kind: "run" },
      { name: "Read", kind: "run" },
    ];
    const allowed = (tool: string, input: unknown = {}) => ask(tool, input, plan, tools).allowed;
    expect(allowed("search_code")).toBe(true);
    expect(allowed("apply_patch", { path: ".claude/plans/main.md" })).toBe(true);
    expect(allowed("apply_patch", { path: "src/a.ts" })).toBe(false);
    expect(allowed("deploy")).toBe(false);
    expect(allowed("Read")).toBe(false);
  });
});

describe("commands in plan mode", () => {
  it.each([
    ["Bash", { command: "git status" }],
    ["bash", { command: "rg foo | head", description: "look", timeout: 5, run_in_background: false }],
    ["run_shell_command", { command: "ls -la", directory: "src" }],
    ["exec_command", { cmd: "git diff", workdir: "/repo" }],
    ["shell", { command: ["bash", "-lc", "git log --oneline"] }],
    ["shell", { command: ["rg", "it's", "src"] }],
    ["shell", { commands: ["ls", "cat a"] }],
    ["local_shell", { type: "exec", command: ["ls"], working_directory: "/repo" }],
    ["mcp__shell__run_command", { command: "ls" }],
  ])("%s %j only reads", (tool, input) =>
    expect(ask(tool, input)).toEqual({ allowed: true, reason: "the command only reads" }),
  );

  it.each([
    ["Bash", {}],
    ["Bash", { command: "" }],
    ["Bash", { command: "rm a" }],
    ["Bash", { command: "ls", env: { LD_PRELOAD: "./x" } }],
    ["Bash", { command: "ls", shell: "./x" }],
    ["Bash", { command: "ls", cmd: "rm a" }],
    ["Bash", { command: "ls", commands: ["rm a"] }],
    ["Bash", { command: ["ls", 7] }],
    ["Bash", { restart: true, command: "ls" }],
    ["shell", { command: ["bash", "-lc", "ls", "rm"] }],
    ["shell", { command: ["bash", "-c", "rm a"] }],
    ["shell", { command: ["./bash", "-c", "ls"] }],
    ["shell", { command: ["env", "ls"] }],
    ["shell", { commands: [] }],
    ["shell", { commands: [...Array.from({ length: 150 }, () => "ls"), "rm a"] }],
    ["run_commands", { commands: [{ command: "ls" }] }],
    ["powershell", { command: "ls" }],
    ["deploy", { command: "ls" }],
    ["mcp__prod__run_command", { command: "ls" }],
  ])("%s %j may do more", (tool, input) => expect(ask(tool, input).allowed).toBe(false));

  it("what the host calls something else is not taken for a shell", () => {
    expect(ask("Bash", { command: "ls" }, plan, [{ name: "Bash", kind: "write" }]).allowed).toBe(false);
    expect(ask("Bash", { command: "ls" }, plan, [{ name: "Bash", kind: "run" }]).allowed).toBe(true);
  });
});

describe("what may be written in plan mode", () => {
  const file = ".claude/plans/main.md";
  const patch = (...lines: string[]) => ({
    input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
  });
  it.each([
    ["write_file", { path: file, content: "x" }],
    ["str_replace_editor", { command: "create", path: plan.planFilePath }],
    ["str_replace_editor", { command: "view", path: "/repo/src/a.ts" }],
    ["apply_patch", patch(`*** Add File: ${file}`, "+x")],
    ["apply_patch", `*** Begin Patch\n*** Update File: ${file}\n@@\n-x\n+y\n*** End Patch`],
    ["apply_patch", { type: "update_file", path: file, diff: "" }],
  ])("%s %j", (tool, input) => expect(ask(tool, input).allowed).toBe(true));

  it.each([
    ["str_replace_editor", { command: "create", path: "src/a.ts" }],
    ["str_replace_editor", { command: ["view"], path: "src/a.ts" }],
    ["apply_patch", patch(`*** Add File: ${file}`, "+x", "*** Delete File: src/a.ts")],
    ["apply_patch", patch(`*** Add File: ${file}`, "+x", "  *** Delete File: src/a.ts")],
    ["apply_patch", patch(`*** Update File: ${file}`, "*** Move to: src/a.ts")],
    ["apply_patch", { input: "--- a/src/a.ts\n+++ b/src/a.ts" }],
    ["apply_patch", { type: "update_file", path: "src/a.ts", diff: "" }],
    ["apply_patch", { path: file, patch: "--- a/src/a.ts" }],
    ["apply_patch", { ...patch(`*** Add File: ${file}`), patch: "*** Add File: src/a.ts" }],
    ["write_file", { path: file, cwd: "/elsewhere" }],
    ["edit", { path: file, edits: [{ path: "src/a.ts" }] }],
    ["write_file", { path: file, destination: "src/a.ts" }],
    ["multi_edit", { path: file, edits: Array.from({ length: 3000 }, () => ({ old: "x" })) }],
    ["delete_file", { path: "src/a.ts" }],
  ])("not %s %j", (tool, input) => expect(ask(tool, input).allowed).toBe(false));
});

describe("delegate mode", () => {
  const delegate = { ...plan, name: "delegate" };
  const tools: ToolDescription[] = [
    { name: "Teammate", kind: "run" },
    { name: "deploy", kind: "run" },
    { name: "look", kind: "read" },
  ];

  it("lets the agent read and hand work out", () => {
    const names = [
      "Read",
      "look",
      "Task",
      "TodoWrite",
      "Teammate",
      "SendMessage",
      "TaskCreate",
      "CollabRead",
    ];
    for (const name of names) expect([name, ask(name, {}, delegate, tools).allowed]).toEqual([name, true]);
  });

  it("lets it change nothing by itself, the plan file neither", () => {
    for (const name of ["Bash", "Write", "Edit", "deploy", "unheard_of"])
      expect(ask(name, { file_path: ".claude/plans/main.md" }, delegate, tools)).toEqual({
        allowed: false,
        reason: `delegate mode is on: ${name} may change things, which is for team mates to do; reading and handing out work is allowed`,
      });
  });

  it("in plan mode nobody is started who could change things", () => {
    expect(ask("Teammate", {}, plan, tools).allowed).toBe(false);
    expect(ask("Teammate", {}, plan, []).allowed).toBe(false);
  });
});

it.each(["normal", "review"])("in %s mode everything is allowed", (name) => {
  expect(ask("Bash", { command: "rm -rf /" }, { ...plan, name })).toEqual({
    allowed: true,
    reason: `mode ${name} restricts no tool`,
  });
});

describe("session.allows", () => {
  const tools = ["Read", { name: "run_sql", kind: "run" }, { name: "list_tables", kind: "read" }] as const;

  it("follows the mode, and the default plan file", async () => {
    const session = openSession({ id: "main", tools });
    expect((await session.allows("run_sql", {})).allowed).toBe(true);
    await session.record({ type: "mode_changed", mode: "plan" });
    const plans = [
      "/repo/.claude/plans/main.md",
      ".claude/plans/main.md",
      "/repo/.claude//x/../plans/main.md",
    ];
    for (const file_path of plans) expect((await session.allows("Write", { file_path })).allowed).toBe(true);
    expect((await session.allows("Write", { file_path: "/repo/a.ts" })).allowed).toBe(false);
    expect((await session.allows("run_sql", {})).allowed).toBe(false);
    expect((await session.allows("list_tables", {})).allowed).toBe(true);
    await session.record({ type: "mode_changed", mode: "normal" });
    expect((await session.allows("run_sql", {})).allowed).toBe(true);
  });

  it("does not wait for a record to be awaited", async () => {
    const session = openSession();
    void session.record({ type: "mode_changed", mode: "plan" });
    expect((await session.allows("Bash", {})).allowed).toBe(false);
  });

  it("holds for sub-agents, also for those that were there before", async () => {
    const session = openSession();
    const before = session.subagent({ agentType: "Explore" });
    await before.turn();
    await session.record({ type: "mode_changed", mode: "plan" });
    const after = session.subagent({ agentType: "Plan" });
    for (const child of [before, after]) {
      expect((await child.allows("Bash", { command: "touch a" })).allowed).toBe(false);
      expect((await child.allows("Bash", { command: "git status" })).allowed).toBe(true);
    }
  });
});

it.each([
  ["Read", { file_path: "a", delete: true }],
  ["WebFetch", { url: "https://x.y", method: "DELETE" }],
  ["WebFetch", { url: "https://x.y", method: "POST", body: "x" }],
  ["Grep", { pattern: "a", replacement: "b" }],
  ["Grep", { pattern: "a", in_place: true }],
  ["Task", { prompt: "x", command: "rm -rf ." }],
  ["Bash", { command: ["ls", ";", "rm", "a.txt"] }],
  ["Bash", { command: ["ls", ">", "a.txt"] }],
  ["Bash", { command: ["echo", "$(rm a.txt)"] }],
])("%s %j asks for more than reading", (tool, input) => {
  expect(ask(tool, input).allowed).toBe(false);
});

it.each([
  ["Read", { file_path: "a", offset: 1, limit: 2 }],
  ["WebFetch", { url: "https://x.y", method: "GET", prompt: "Sum it up." }],
  ["Grep", { pattern: "a|b", output_mode: "content", "-n": true }],
  ["TodoWrite", { todos: [{ content: "x", status: "pending" }] }],
])("%s %j reads", (tool, input) => {
  expect(ask(tool, input).allowed).toBe(true);
});
