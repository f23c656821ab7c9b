// The wiring against what each agent is known to take: its events, its matchers, its unit of time.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pluginFiles } from "../../../../tools/plugins.ts";
import { type AgentName, agentNames, hookSettings, hookTable } from "./hook-table.ts";

// Every event an agent knows; one it does not know would never be called.
const KNOWN: Record<AgentName, string> = {
  "claude-code":
    "SessionStart Setup UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolUseFailure PostToolBatch SubagentStart SubagentStop Stop PreCompact PostCompact SessionEnd",
  codex:
    "SessionStart SubagentStart UserPromptSubmit PreToolUse PostToolUse PermissionRequest PreCompact PostCompact Stop SubagentStop SessionEnd",
  "gemini-cli":
    "SessionStart BeforeAgent BeforeModel BeforeToolSelection AfterModel BeforeTool AfterTool AfterAgent PreCompress Notification SessionEnd",
  "qwen-code":
    "SessionStart UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolUseFailure PostToolBatch SubagentStart Stop SubagentStop PreCompact PostCompact SessionEnd",
};

describe.each(agentNames)("the wiring of %s", (agent) => {
  const { events, timeoutUnit } = hookSettings[agent];

  it("names events the agent has, each once", () => {
    const names = events.map(({ event }) => event);
    expect(names.filter((name) => !KNOWN[agent].split(" ").includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it("asks for a time limit of 5 s at the most, in the agent's unit", () => {
    const most = timeoutUnit === "s" ? 5 : 5000;
    const least = timeoutUnit === "s" ? 1 : 1000;
    const limits = events.flatMap(({ timeout }) => timeout ?? []);
    expect(limits.filter((limit) => limit > most || limit < least)).toEqual([]);
    expect(events.filter(({ event, timeout }) => timeout === undefined && event !== "SessionEnd")).toEqual(
      [],
    );
  });

  it("has the same program in every event, with the agent's name", () => {
    const commands = Object.values(hookTable(agent, "'/a b/sotto'"))
      .flat()
      .flatMap(({ hooks }) => hooks.map(({ command }) => command));
    const tail = agent === "gemini-cli" ? " || true" : "";
    expect(new Set(commands)).toEqual(new Set([`'/a b/sotto' hook ${agent}${tail}`]));
  });
});

it("before a file is written rules are heard, and before a command or a write its beginning is known", () => {
  const matchers = agentNames.map((agent) => {
    const { PreToolUse, BeforeTool } = hookTable(agent);
    return (PreToolUse ?? BeforeTool)?.map(({ matcher }) => matcher);
  });
  expect(matchers).toEqual([
    ["Edit|Write|NotebookEdit"],
    ["apply_patch|Bash"],
    ["run_shell_command|write_file|replace"],
    ["run_shell_command|write_file|edit"],
  ]);
});

it("Codex gives a session's end 3 s, Claude Code has a limit of its own", () => {
  expect(hookTable("codex").SessionEnd?.[0]?.hooks[0]?.timeout).toBe(3);
  expect(hookTable("claude-code").SessionEnd).toEqual([
    { hooks: [{ type: "command", command: "sotto hook claude-code" }] },
  ]);
});

describe("the plugin folders", () => {
  const files = Object.entries(pluginFiles());
  const value = (name: string) => JSON.parse(readFileSync(new URL(name, PLUGINS), "utf8"));
  const PLUGINS = new URL("../../plugins/", import.meta.url);

  it.each(files)("%s is what the wiring says", (name, text) => {
    expect(readFileSync(new URL(name, PLUGINS), "utf8")).toBe(text);
  });

  it("have hook files with nothing but hooks at their root: Codex takes no other key", () => {
    for (const agent of ["claude-code", "codex", "gemini-cli"] as const)
      expect(value(`${agent}/hooks/hooks.json`)).toEqual({ hooks: hookTable(agent) });
  });

  it("have manifests with the fields each agent reads", () => {
    expect(value("claude-code/.claude-plugin/plugin.json")).toMatchObject({
      name: "sotto",
      version: "0.1.0",
    });
    expect(value("codex/.codex-plugin/plugin.json")).toMatchObject({
      name: "sotto",
      hooks: "./hooks/hooks.json",
    });
    expect(value("gemini-cli/gemini-extension.json")).toEqual({ name: "sotto", version: "0.1.0" });
    expect(value(".claude-plugin/marketplace.json")).toMatchObject({
      name: "sotto",
      owner: { name: "Sotto" },
      plugins: [{ name: "sotto", source: "./claude-code" }],
    });
  });
});
