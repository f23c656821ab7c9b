// Codex rejects an answer with one field too many: what it is given must fit its shapes exactly.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { createHookWorld, type HookWorld } from "../support/hook-program.ts";

let world: HookWorld;
beforeEach(() => {
  world = createHookWorld({ inProcess: true });
  world.write(".sotto/rules/src.md", '---\npaths: ["src/**"]\n---\nUse tabs in src.\n');
});
afterEach(() => world.remove());

/** What Codex takes from a hook that only has something to tell. */
const takes = (event: string) =>
  z.strictObject({
    hookSpecificOutput: z.strictObject({
      hookEventName: z.literal(event),
      additionalContext: z.string().min(1),
    }),
  });

// The shapes that Codex itself publishes, where they are at hand.
const published = join(import.meta.dirname, "../../../shared/schemas/codex-hooks");

function checkPublished(file: string, side: "input" | "output", value: unknown): void {
  const path = join(published, `${file}.command.${side}.schema.json`);
  if (!existsSync(path)) return;
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(path, "utf8")));
  const { success, error } = schema.safeParse(value);
  expect({ file, side, success, problem: error?.message }).toEqual({
    file,
    side,
    success: true,
    problem: undefined,
  });
}

test("every event it has, as it sends it; every answer as it takes it", async () => {
  const common = { session_id: "s1", transcript_path: null, cwd: world.cwd };
  const model = { model: "a-model", permission_mode: "default" };
  const turn = { turn_id: "t1", ...model };
  const patch = "*** Begin Patch\n*** Add File: src/b.ts\n+x\n*** End Patch";
  const tool = { ...turn, tool_name: "apply_patch", tool_input: { command: patch }, tool_use_id: "c1" };
  const { tool_use_id: _, ...asked } = tool;
  const stopped = { ...turn, stop_hook_active: false, last_assistant_message: "done" };
  const agent = { agent_id: "a1", agent_type: "explorer" };
  const events: [file: string, name: string, rest: Record<string, unknown>, speaks: boolean][] = [
    ["session-start", "SessionStart", { ...model, source: "startup" }, true],
    ["user-prompt-submit", "UserPromptSubmit", { ...turn, prompt: "hi" }, true],
    ["pre-tool-use", "PreToolUse", tool, true],
    ["post-tool-use", "PostToolUse", { ...tool, tool_response: "done" }, true],
    ["subagent-start", "SubagentStart", { ...turn, ...agent }, true],
    ["pre-compact", "PreCompact", { turn_id: "t1", model: "a-model", trigger: "auto" }, false],
    ["post-compact", "PostCompact", { turn_id: "t1", model: "a-model", trigger: "auto" }, false],
    ["stop", "Stop", stopped, false],
    ["permission-request", "PermissionRequest", asked, false],
    ["subagent-stop", "SubagentStop", { ...stopped, ...agent, agent_transcript_path: null }, false],
    ["session-end", "SessionEnd", { reason: "other" }, false],
  ];
  world.writeConfig('[system_reminder]\ncritical_instruction = "Run the tests."\n');
  for (const [index, [file, name, rest, speaks]] of events.entries()) {
    const event = { ...common, hook_event_name: name, ...rest };
    checkPublished(file, "input", event);
    const word = `word-${index}`;
    await world.happen("codex/s1", { type: "prompt_queued", id: word, prompt: word });
    const { code, stdout, stderr } = await world.call("codex", event);
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" });
    if (!speaks) {
      expect({ name, stdout }).toEqual({ name, stdout: "" });
      continue;
    }
    const answer: unknown = JSON.parse(stdout);
    expect(takes(name).parse(answer)).toEqual(answer);
    checkPublished(file, "output", answer);
    if (name !== "SubagentStart") expect(stdout).toContain(word);
  }
});
