import { expect, test } from "vitest";
import { looksFailed } from "./message-list.ts";
import { openaiAgents } from "./openai-agents.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

test.each([
  "Error: no match",
  "Could not find the exact text in a.ts",
  "<tool_use_error>String to replace not found</tool_use_error>",
  '{"error":"x"}',
  "Exit code: 1\nWall time: 0 seconds",
  "apply_patch verification failed: no such lines",
  "ENOENT: no such file or directory, open 'a.ts'",
  "patch rejected: writing outside of the project; rejected by user approval settings",
  "[Operation Cancelled] Reason: User did not allow tool call",
  "Operation aborted",
  "aborted by user after 3.1s",
  "The user rejected this edit.",
  '{"output":"no such lines","metadata":{"exit_code":1,"duration_seconds":0.1}}',
  [{ type: "text", text: "Failed to edit a.ts" }],
])("%j says so", (output) => {
  expect(looksFailed(output)).toBe(true);
});

test.each([
  "",
  undefined,
  "Successfully replaced text in a.ts",
  "Exit code: 0\nWall time: 0 seconds",
  "     1\terror: this is a line of a file",
  "errorless",
  '{"output":"Success. Updated the following files:\\nM a.ts","metadata":{"exit_code":0}}',
  "user rejects are counted in a.ts",
  "operational",
  [],
  [null],
])("%j does not", (output) => {
  expect(looksFailed(output)).toBe(false);
});

test("an edit that failed is none, where only its words tell", () => {
  const content = "Error: no match";
  expect(openaiChat.calls?.({ role: "tool", tool_call_id: "c", content })).toMatchObject([{ failed: true }]);
  const output = { type: "function_call_output", call_id: "c", output: content };
  expect(openaiResponses.calls?.(output)).toMatchObject([{ failed: true }]);
  const result = { type: "function_call_result", callId: "c", status: "completed", output: content };
  expect(openaiAgents.calls?.(result)).toMatchObject([{ failed: true }]);
});
