import { describe, expect, test } from "vitest";
import { hasDialectProperties } from "../../../../test/support/dialect-properties.ts";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import { checkOpenAIAgents, openaiAgentsBody } from "../../../../test/support/openai-agents-history.ts";
import { type OpenAIAgentsBody, openaiAgents } from "./openai-agents.ts";

const { read, legal, end, insert, calls, kept, problem } = openaiAgents;
const of = (...input: object[]): OpenAIAgentsBody => frozen({ input });
const asked = { type: "message", role: "user", content: "go" };
const called = { type: "function_call", callId: "1", name: "look", arguments: "{}", status: "completed" };
const answered = {
  ...{ type: "function_call_result", callId: "1", name: "look", status: "completed" },
  output: { type: "text", text: "seen" },
};

describe("properties", () => {
  hasDialectProperties<OpenAIAgentsBody>({
    dialect: openaiAgents,
    write: openaiAgentsBody,
    check: checkOpenAIAgents,
    breakpoint: { field: "promptCacheBreakpoint", value: { mode: "explicit" } },
  });
});

test("results stay right behind their calls", () => {
  const body = of(asked, called, answered);
  expect(legal(body, { message: 1, index: 0 })).toEqual({ message: 1, index: 0 });
  expect(legal(body, { message: 2, index: 0 })).toEqual({ message: 3, index: 0 });
  expect(end(body)).toEqual({ message: 3, index: 0 });
});

test("calls and what came of them, of functions, shells and patches", () => {
  const patch = { type: "apply_patch_call", callId: "3", operation: { type: "delete_file", path: "a" } };
  const shell = { type: "shell_call", callId: "2", action: { commands: ["ls"] } };
  expect([called, answered, shell, patch].map((item) => calls?.(item))).toEqual([
    [{ part: "call", id: "1", name: "look", input: "{}" }],
    [{ part: "result", id: "1", failed: false, output: expect.anything() }],
    [{ part: "call", id: "2", name: "shell", input: { commands: ["ls"] } }],
    [{ part: "call", id: "3", name: "apply_patch", input: { type: "delete_file", path: "a" } }],
  ]);
  const failed = { type: "apply_patch_call_output", callId: "3", status: "failed" };
  expect(calls?.(failed)).toMatchObject([{ part: "result", id: "3", failed: true }]);
});

test("a text alone is the same answer in each of the SDK's forms", () => {
  const forms = ["seen", { type: "text", text: "seen" }, [{ type: "input_text", text: "seen" }]];
  const identities = forms.map((output) => read({ ...answered, output }, 0)[0]?.identity);
  expect(new Set(identities).size).toBe(1);
});

test("an image is a data URL", () => {
  const image = { type: "image" as const, mediaType: "image/png", data: "AAAA" };
  const body = insert(of(asked), [{ at: { message: 1, index: 0 }, blocks: [[image]] }], []);
  expect(body.input[1]).toEqual({
    type: "message",
    role: "user",
    content: [{ type: "input_image", image: "data:image/png;base64,AAAA" }],
  });
});

test("a conversation that the provider keeps has the name it is given", () => {
  expect(kept?.({ ...of(asked), conversation: "conv_1" })).toEqual({ name: "conv_1", moves: false });
  expect(kept?.(of(asked))).toBeUndefined();
});

test("a lone string is no list of items", () => {
  expect(problem({ input: "go" })).toBe("input: expected a list");
  expect(problem({ previous_response_id: "resp_1" })).toBe("input: expected a list");
});
