import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { hasDialectProperties } from "../../../../test/support/dialect-properties.ts";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import { openaiResponsesBody } from "../../../../test/support/openai-responses-history.ts";
import { checkOpenAIResponses } from "../../../../test/support/servers/openai-responses-rules.ts";
import { hasTrustedRole } from "../../../../test/support/trusted-properties.ts";
import type { ReminderBlock } from "../render/reminder.ts";
import { type OpenAIResponsesBody, openaiResponses } from "./openai-responses.ts";

const { problem, kept, read, messages, end, legal, insert, remove } = openaiResponses;

const text = (value: string, fields: object = {}) => ({ type: "input_text", text: value, ...fields });
const spoken = (value: string, fields: object = {}) => ({ type: "output_text", text: value, ...fields });
const user = (...content: object[]) => ({ type: "message", role: "user", content });
const said = (role: string, content: string, fields: object = {}) => ({ role, content, ...fields });
const call = (id: string, fields: object = {}) => ({
  type: "function_call",
  call_id: id,
  name: "look",
  arguments: "{}",
  ...fields,
});
const output = (id: string, given: unknown = "seen") => ({
  type: "function_call_output",
  call_id: id,
  output: given,
});
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "b3BhcXVl" };
const of = (...input: object[]): OpenAIResponsesBody => frozen({ input });
const place = (message: number, index = 0) => ({ message, index });
const note: ReminderBlock[] = [{ type: "text", text: "Note." }];

describe("properties", () => {
  hasDialectProperties<OpenAIResponsesBody>({
    dialect: openaiResponses,
    write: openaiResponsesBody,
    check: checkOpenAIResponses,
    breakpoint: { field: "prompt_cache_breakpoint", value: { mode: "explicit" } },
  });

  describe("the trusted role", () => {
    hasTrustedRole<OpenAIResponsesBody>({
      dialect: openaiResponses,
      write: (...told) => ({ ...openaiResponsesBody(...told), model: "gpt-5" }),
      check: checkOpenAIResponses,
      role: "developer",
    });
  });
});

test("takes the official client's parameters as they are", () => {
  const params: OpenAI.Responses.ResponseCreateParams = { model: "gpt-test", input: "Hello" };
  const body: OpenAIResponsesBody = params;
  expect(problem(body)).toBeUndefined();
});

test.each(["Hello", ""])(
  "a lone string (%j) stays one where nothing is said, and is the user's message where something is",
  (input) => {
    const body = frozen({ model: "gpt-test", input, instructions: "Be brief." });
    expect(insert(body, [], [])).toBe(body);
    expect(insert(body, [{ at: end(body), blocks: [note] }], [])).toEqual({
      model: "gpt-test",
      input: [said("user", input), user(text("Note."))],
      instructions: "Be brief.",
    });
  },
);

test("nothing new is no reason not to speak where the provider keeps the rest", () => {
  const body = frozen({ previous_response_id: "resp_1" });
  expect(problem(body)).toBeUndefined();
  expect(insert(body, [{ at: end(body), blocks: [note] }], [])).toEqual({
    previous_response_id: "resp_1",
    input: [user(text("Note."))],
  });
});

test.each([
  ["a request", 1, "body: expected an object"],
  ["input", {}, "input: expected a string or a list"],
  ["items", { input: ["a"] }, "input.0: expected an object"],
  ["a type", { input: [{ type: 1 }] }, "input.0.type: expected a string"],
  ["an id", { input: [{ type: "item_reference", id: 1 }] }, "input.0.id: expected a string"],
  ["a role", { input: [{ content: "a" }] }, "input.0.role: expected a string"],
  ["content", { input: [{ role: "user" }] }, "input.0.content: expected a string or a list of blocks"],
  ["a text", { input: [user({ type: "input_text" })] }, "input.0.content.0.text: expected a string"],
])("problem misses %s", (_, body, words) => {
  expect(problem(body)).toBe(words);
});

test.each([
  ["an earlier response", { previous_response_id: "resp_1" }, { name: "resp_1", moves: true }],
  ["a conversation", { conversation: "conv_1" }, { name: "conv_1", moves: false }],
  ["a conversation by its id", { conversation: { id: "conv_1" } }, { name: "conv_1", moves: false }],
  ["nothing", { previous_response_id: null, conversation: null }, undefined],
])("a request goes on from %s", (_, fields, expected) => {
  expect(kept?.({ input: "a", ...fields })).toEqual(expected);
});

describe("read", () => {
  test.each([
    ["a message without a type", said("user", "a"), ["user text"]],
    ["developer", said("developer", "a"), ["system text"]],
    ["an answer", { role: "assistant", content: [spoken("a")] }, ["assistant text"]],
    ["a refusal", { role: "assistant", content: [{ type: "refusal", refusal: "a" }] }, ["assistant other"]],
    [
      "pictures and files",
      user({ type: "input_image" }, { type: "input_file" }),
      ["user image", "user other"],
    ],
    ["reasoning", reasoning, ["assistant thinking"]],
    ["reasoning by its id", { type: "item_reference", id: "rs_1" }, ["assistant thinking"]],
    ["an item by its id", { type: "item_reference", id: "msg_1" }, ["assistant other"]],
    ["a call", call("1"), ["assistant call"]],
    ["an answer to it", output("1"), ["user result"]],
    ["a shell's call", { type: "local_shell_call", call_id: "1" }, ["assistant call"]],
    ["a shell's answer", { type: "local_shell_call_output", call_id: "1" }, ["user result"]],
    ["a computer's answer", { type: "computer_call_output", call_id: "1" }, ["user result"]],
    ["an MCP call", { type: "mcp_call", id: "mcp_1" }, ["assistant call"]],
    ["a question whether it may", { type: "mcp_approval_request", id: "mcpr_1" }, ["assistant call"]],
    ["the answer", { type: "mcp_approval_response", approve: true }, ["user result"]],
    ["what the client sets", { type: "configuration_update" }, ["system other"]],
    ["a kind nobody knows", { type: "hologram" }, ["assistant other"]],
    ["nothing", said("user", ""), []],
  ])("%s", (_, item, kinds) => {
    expect(read(item, 0).map(({ role, kind }) => `${role} ${kind}`)).toEqual(kinds);
  });

  test.each([
    ["a string", said("user", "a"), user(text("a", { prompt_cache_breakpoint: { mode: "explicit" } }))],
    [
      "an answer as the model wrote it",
      said("assistant", "a"),
      {
        ...{ id: "msg_1", type: "message", role: "assistant", status: "completed", phase: "final_answer" },
        content: [spoken("a", { annotations: [], logprobs: [] })],
      },
    ],
    ["a call as the model made it", call("1"), call("1", { id: "fc_1", status: "completed" })],
    ["an output as parts", output("1"), output("1", [text("seen")])],
  ])("%s is the same in another form", (_, one, other) => {
    expect(read(other, 0)).toEqual(read(one, 0));
  });

  test.each([
    ["role", said("user", "a"), said("system", "a")],
    ["call id", call("1"), call("2")],
    ["argument", call("1"), call("1", { arguments: "[]" })],
    ["output", output("1"), output("1", "gone")],
    ["kind of call", call("1"), call("1", { type: "custom_tool_call" })],
    ["reference", { type: "item_reference", id: "msg_1" }, { type: "item_reference", id: "msg_2" }],
  ])("another %s is another block", (_, one, other) => {
    expect(read(other, 0)).not.toEqual(read(one, 0));
  });
});

const loop = of(
  said("developer", "a"),
  user(text("b"), text("c")),
  reasoning,
  { role: "assistant", content: [spoken("d")] },
  call("1"),
  call("2"),
  output("1"),
  output("2"),
  { type: "hologram" },
  { type: "hologram_output" },
  said("user", "e"),
  said("assistant", "f"),
);

test.each([
  ["behind the last item", of(said("user", "a")), 1],
  ["behind outputs", of(said("user", "a"), call("1"), output("1")), 3],
  ["behind outputs of calls that the provider keeps", of(output("1"), output("2")), 2],
  ["before what the model has begun to say", loop, 11],
  ["before its reasoning, too", of(said("user", "a"), reasoning, said("assistant", "b")), 1],
  ["after an earlier message of the reply", of(said("assistant", "a"), said("assistant", "b")), 1],
  ["behind what stands for the history before", of(said("user", "a"), { type: "compaction" }), 2],
  ["before calls that wait for outputs", of(said("user", "a"), said("assistant", "b"), call("1")), 1],
  ["first where there is nothing", of(), 0],
])("end is %s", (_, body, message) => {
  expect(end(body)).toEqual(place(message));
});

test.each([
  ["goes behind the system prompt", place(0), place(1)],
  ["stays between the parts of a user's message", place(1, 1), place(1, 1)],
  ["stays before reasoning", place(2), place(2)],
  ["never parts reasoning from what it led to", place(3), place(4)],
  ["stays behind a message of the model", place(4), place(4)],
  ["never stands inside the model's message", place(3, 1), place(4)],
  ["never parts calls and outputs", place(6), place(8)],
  ["never parts outputs", place(7), place(8)],
  ["keeps items together that nobody knows", place(9), place(10)],
])("legal %s", (_, at, expected) => {
  expect(legal(loop, at)).toEqual(expected);
});

test("insert writes parts, always in the same bytes", () => {
  const picture: ReminderBlock[] = [...note, { type: "image", mediaType: "image/png", data: "aGk=" }];
  const body = of(user(text("a"), text("b")));
  const insertions = [
    { at: place(1), blocks: [note, picture] },
    { at: place(0, 1), blocks: [note] },
  ];
  const image = { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "auto" };
  expect(JSON.stringify(insert(body, insertions, []).input)).toBe(
    JSON.stringify([
      user(text("a"), text("Note."), text("b")),
      user(text("Note.")),
      user(text("Note."), image),
    ]),
  );
});

test.each([
  ["a string as a whole", said("user", "a"), [0], undefined],
  ["a part", user(text("a"), text("b")), [0], user(text("b"))],
  ["all parts, and the message with them", user(text("a"), text("b")), [0, 1], undefined],
  ["an item as a whole", output("1", [text("a"), text("b")]), [0], undefined],
  ["what is not there", said("user", "a"), [1], said("user", "a")],
])("remove takes out %s", (_, item, indexes, left) => {
  const places = indexes.map((index) => place(0, index));
  expect(messages(remove(of(item), places))).toEqual(left ? [left] : []);
});
