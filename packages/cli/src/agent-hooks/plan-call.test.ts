// From an agent's event to what is recorded, what is looked up, and whether anything may be said.

import { describe, expect, it } from "vitest";
import { type AgentName, agentNames } from "../init/hook-table.ts";
import { hookAgent } from "./event-rules.ts";
import { planCall } from "./plan-call.ts";
import { type HookInput, readEvent } from "./read-event.ts";

const planOf = (name: AgentName, input: HookInput) => {
  const agent = hookAgent(name);
  if (agent === undefined) throw new Error(name);
  return planCall(agent, { cwd: "/repo", ...input }, { now: 0, nonce: "n" });
};

// When they go on with a session they leave out what was said at its start.
const LOSES_ITS_START: readonly AgentName[] = ["gemini-cli", "qwen-code"];

describe("starts", () => {
  it.each(agentNames)(
    "%s: what was said before the agent was started anew may not have been seen",
    (name) => {
      for (const source of ["startup", "resume"])
        expect(planOf(name, { event: "SessionStart", source })).toEqual({
          starts: true,
          record: [],
          ...(LOSES_ITS_START.includes(name) ? {} : { turn: {} }),
        });
    },
  );

  it("clearing and compaction are told, and go on", () => {
    expect(planOf("claude-code", { event: "SessionStart", source: "clear" })).toEqual({
      starts: false,
      record: [{ type: "session_started", reason: "clear" }],
      turn: {},
    });
    expect(planOf("codex", { event: "SessionStart", source: "compact" })?.record).toEqual([
      { type: "compacted" },
    ]);
  });
});

describe("compaction is told once", () => {
  it("by the start behind it, or, where there is none, when it begins", () => {
    const record = [{ type: "compacted" }];
    expect(planOf("gemini-cli", { event: "PreCompress", trigger: "manual" })?.record).toEqual(record);
    for (const name of ["claude-code", "codex", "qwen-code"] as const)
      for (const event of ["PreCompact", "PostCompact"]) expect(planOf(name, { event })).toBeUndefined();
  });

  it("and not where the agent only asks itself whether to", () => {
    expect(planOf("gemini-cli", { event: "PreCompress", trigger: "auto" })).toBeUndefined();
  });

  it("by the event itself in a sub-agent, which is not started again", () => {
    for (const name of ["claude-code", "codex", "qwen-code"] as const) {
      const plan = planOf(name, { event: "PostCompact", agentId: "a1" });
      expect(plan).toEqual({ starts: false, record: [{ type: "compacted" }] });
    }
  });
});

describe("prompts", () => {
  it("one that is none, between two tools, is left alone", () => {
    const event = JSON.stringify({ hook_event_name: "UserPromptSubmit", prompt: "" });
    expect(planOf("qwen-code", readEvent(event))).toBeUndefined();
    expect(planOf("codex", readEvent(event))?.turn).toEqual({});
  });

  it.each([
    ["claude-code", "UserPromptSubmit"],
    ["codex", "UserPromptSubmit"],
    ["gemini-cli", "BeforeAgent"],
    ["qwen-code", "UserPromptSubmit"],
  ] as const)("%s: %s brings one", (name, event) => {
    expect(planOf(name, { event, prompt: "hi" })).toEqual({
      starts: false,
      record: [],
      turn: { prompt: "hi" },
    });
  });
});

describe("tools", () => {
  const codexRead = {
    event: "PostToolUse",
    toolName: "Bash",
    toolInput: { command: "cat src/a.ts" },
    toolUseId: "c1",
  };

  it("codex: each counts for a message of the model, as nothing tells more", () => {
    expect(planOf("codex", codexRead)).toEqual({
      starts: false,
      record: [
        { type: "assistant_turn" },
        { type: "file_read", path: "/repo/src/a.ts" },
        {
          type: "tool_finished",
          toolName: "Bash",
          callId: "c1",
          success: true,
          durationMs: 0,
          paths: ["/repo/src/a.ts"],
        },
      ],
      turn: {},
    });
  });

  it("claude-code: a batch counts, its tools do not; paths are those of the directory it is in by then", () => {
    const plan = planOf("claude-code", {
      event: "PostToolUse",
      cwd: "/repo/deep",
      toolName: "Edit",
      toolInput: { file_path: "a.ts" },
      toolUseId: "c1",
      durationMs: 12,
    });
    expect(plan?.record).toEqual([
      { type: "file_written", path: "/repo/deep/a.ts" },
      { type: "tool_finished", toolName: "Edit", callId: "c1", success: true, durationMs: 12 },
    ]);
    const batch = planOf("claude-code", { event: "PostToolBatch" });
    expect(batch).toEqual({
      starts: false,
      record: [{ type: "assistant_turn" }],
      turn: {},
    });
  });

  it("one that failed has done nothing", () => {
    const failed = planOf("qwen-code", {
      event: "PostToolUseFailure",
      toolName: "write_file",
      toolInput: { file_path: "/repo/a.ts" },
      toolUseId: "c1",
    });
    expect(failed?.record).toEqual([
      { type: "tool_finished", toolName: "write_file", callId: "c1", success: false, durationMs: 0 },
    ]);
    const told = planOf("gemini-cli", {
      event: "AfterTool",
      toolName: "write_file",
      toolInput: { file_path: "/repo/a.ts" },
      toolResponse: { llmContent: "no", error: { message: "no" } },
    });
    expect(told?.record).toEqual([
      { type: "assistant_turn" },
      { type: "tool_finished", toolName: "write_file", callId: "hook-n", success: false, durationMs: 0 },
    ]);
  });

  it.each([
    [
      "claude-code",
      "Write",
      { file_path: "/repo/a.ts", content: "x" },
      [{ type: "file_written", path: "/repo/a.ts", edits: [{ new: "x" }] }],
    ],
    ["claude-code", "Write", { file_path: "/repo/a.ts" }, []],
    [
      "codex",
      "apply_patch",
      { command: "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch" },
      [{ type: "file_written", path: "/repo/a.ts", edits: [{ lines: true, old: "x\n", new: "y\n" }] }],
    ],
  ] as const)("%s: rules are looked up before %s writes", (name, toolName, toolInput, announced) => {
    const plan = planOf(name, { event: "PreToolUse", toolName, toolInput, toolUseId: "c1" });
    const call = { callId: "c1", tool: toolName, paths: ["/repo/a.ts"] };
    const writes = { ...call, writes: announced, isOver: false };
    expect(plan).toEqual({ starts: false, record: [], writes, turn: {} });
    const over = planOf(name, { event: "PostToolUse", toolName, toolInput, toolUseId: "c1" });
    expect(over?.writes).toEqual({ ...call, writes: [], isOver: true });
  });

  it("a tool that writes nothing is not waited for", () => {
    const read = { event: "PreToolUse", toolName: "Read", toolInput: { file_path: "/repo/a.ts" } };
    expect(planOf("claude-code", read)).toBeUndefined();
  });

  it("a call without an id is known by what it does", () => {
    const call = { toolName: "write_file", toolInput: { file_path: "/repo/a.ts" } };
    const [before, after] = ["BeforeTool", "AfterTool"].map((event) =>
      planOf("gemini-cli", { event, ...call }),
    );
    expect(before).toEqual({ starts: false, record: [], writes: expect.objectContaining({ isOver: false }) });
    expect(after?.writes).toEqual({ ...before?.writes, isOver: true });
  });
});

describe("what takes no text", () => {
  it.each([
    ["claude-code", "Stop", "assistant_turn"],
    ["claude-code", "SubagentStop", "assistant_turn"],
    ["codex", "Stop", "assistant_turn"],
    ["gemini-cli", "AfterAgent", "assistant_turn"],
    ["qwen-code", "Stop", "assistant_turn"],
    ["claude-code", "SessionEnd", "session_ended"],
    ["codex", "SessionEnd", "session_ended"],
    ["gemini-cli", "SessionEnd", "session_ended"],
    ["qwen-code", "SessionEnd", "session_ended"],
  ] as const)("%s: %s is only recorded", (name, event, type) => {
    expect(planOf(name, { event })).toEqual({ starts: false, record: [{ type }] });
  });

  it.each(agentNames)("%s: an event nobody knows is left alone", (name) => {
    for (const event of ["Notification", "PermissionRequest", "PreModelSwitch", "constructor", "__proto__"])
      expect(planOf(name, { event })).toBeUndefined();
  });
});

describe("reading", () => {
  it("takes what is known, of the right kind, and nothing else", () => {
    const text = JSON.stringify({
      hook_event_name: "PostToolUse",
      session_id: "s",
      cwd: 5,
      transcript_path: null,
      tool_name: "Bash",
      tool_input: { command: "ls" },
      duration_ms: -1,
      a_new_field: { deep: true },
    });
    expect(readEvent(`\uFEFF${text}`)).toEqual({
      event: "PostToolUse",
      sessionId: "s",
      toolName: "Bash",
      toolInput: { command: "ls" },
    });
  });

  it.each([
    ["", "stdin is empty"],
    ["{", "stdin is not JSON"],
    ["[]", "stdin is not a JSON object"],
    ["{}", "hook_event_name is missing"],
    ['{"hook_event_name":7}', "hook_event_name is missing"],
  ])("%j is no event", (text, words) => {
    expect(() => readEvent(text)).toThrow(words);
  });
});
