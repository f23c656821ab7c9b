import type { GenerateContentParameters } from "@google/genai";
import { describe, expect, test } from "vitest";
import { hasDialectProperties } from "../../../../test/support/dialect-properties.ts";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import { geminiBody, geminiBodyWithPrefill } from "../../../../test/support/gemini-history.ts";
import { checkGemini } from "../../../../test/support/servers/gemini-rules.ts";
import type { ReminderBlock } from "../render/reminder.ts";
import { type GeminiBody, gemini } from "./gemini.ts";

const { problem, read, messages, end, legal, insert, remove } = gemini;

const text = (value: string, fields: object = {}) => ({ text: value, ...fields });
const call = (fields: object = {}) => ({ functionCall: { name: "look", args: {}, ...fields } });
const response = (fields: object = {}) => ({ functionResponse: { name: "look", response: {}, ...fields } });
const image = { inlineData: { mimeType: "image/png", data: "aGk=" } };
const user = (...parts: object[]) => ({ role: "user", parts });
const model = (...parts: object[]) => ({ role: "model", parts });
const of = (...contents: object[]): GeminiBody => frozen({ contents });
const place = (message: number, index = 0) => ({ message, index });
const note: ReminderBlock[] = [{ type: "text", text: "Note." }];

describe("properties, newest models", () => {
  hasDialectProperties<GeminiBody>({
    dialect: gemini,
    write: geminiBody,
    refusesPrefills: true,
    check: (body) => checkGemini(body, { geminiModel: "gemini-3.8-flash" }),
  });
});

describe("properties, models that go on from what they are given as said", () => {
  hasDialectProperties<GeminiBody>({
    dialect: gemini,
    write: geminiBodyWithPrefill,
    check: (body) => checkGemini(body, { geminiModel: "gemini-2.5-flash" }),
  });
});

test("takes the official client's parameters as they are", () => {
  const params: GenerateContentParameters = { model: "gemini-test", contents: [user(text("Hello"))] };
  const body: GeminiBody = params;
  expect(problem(body)).toBeUndefined();
});

test.each<[string, GenerateContentParameters["contents"], object[]]>([
  ["a string", "a", [user(text("a"))]],
  ["a part", text("a"), [user(text("a"))]],
  ["texts and parts", ["a", image], [user(text("a"), image)]],
  ["a content", model(text("a")), [model(text("a"))]],
  ["a content without a role", { parts: [text("a")] }, [{ parts: [text("a")] }]],
  ["contents", [user(text("a"))], [user(text("a"))]],
  ["nothing", [], []],
])("contents may be %s", (_, contents, expected) => {
  const body = frozen({ model: "gemini-test", contents });
  expect(problem(body)).toBeUndefined();
  expect(messages(body)).toEqual(expected);
  expect(insert(body, [], [])).toBe(body);
  const filled = insert(body, [{ at: place(99), blocks: [note] }], []);
  expect(filled).toEqual({ model: "gemini-test", contents: [...expected, user(text("Note."))] });
});

test.each([
  ["a request", undefined, "body: expected an object"],
  ["contents", {}, "contents: expected a list"],
  ["contents of one form", { contents: [user(text("a")), "b"] }, "contents.1: expected an object with parts"],
  ["a role", { contents: [{ role: 1, parts: [] }] }, "contents.0.role: expected a string"],
  ["parts", { contents: [{ role: "user", parts: "a" }] }, "contents.0.parts: expected a list"],
  [
    "parts that are one",
    { contents: [user(text("a"), 1 as never)] },
    "contents.0.parts.1: expected an object",
  ],
  ["a text", { contents: [user({ text: 1 })] }, "contents.0.parts.0.text: expected a string"],
  ["a lone text", { contents: { text: 1 } }, "contents.text: expected a string"],
])("problem misses %s", (_, body, words) => {
  expect(problem(body)).toBe(words);
});

describe("read", () => {
  test.each([
    ["words", user(text("a")), ["user text"]],
    ["no role", { parts: [text("a")] }, ["user text"]],
    ["the model", model(text("a")), ["assistant text"]],
    ["thoughts", model(text("a", { thought: true }), text("b")), ["assistant thinking", "assistant text"]],
    [
      "pictures",
      user(image, { fileData: { fileUri: "a", mimeType: "image/png" } }),
      ["user image", "user image"],
    ],
    ["sound", user({ inlineData: { mimeType: "audio/wav", data: "aGk=" } }), ["user other"]],
    ["a call", model(call()), ["assistant call"]],
    ["a response", user(response()), ["user result"]],
    ["code", model({ executableCode: { code: "1" } }), ["assistant other"]],
    ["a signature without a word", model(text("", { thoughtSignature: "c2ln" })), []],
    ["no parts", { role: "model" }, []],
  ])("%s", (_, content, kinds) => {
    expect(read(content, 0).map(({ role, kind }) => `${role} ${kind}`)).toEqual(kinds);
  });

  test.each([
    [
      "a call in snake_case",
      model(call({ id: "1" })),
      model({ function_call: { name: "look", args: {}, id: "1" } }),
    ],
    ["a picture in snake_case", user(image), user({ inline_data: { mime_type: "image/png", data: "aGk=" } })],
    ["words without their signature", model(text("a")), model(text("a", { thoughtSignature: "c2ln" }))],
    ["a call without its signature", model(call()), model({ ...call(), thought_signature: "c2ln" })],
    ["the user without a role", user(text("a")), { parts: [text("a")] }],
  ])("%s is the same in another form", (_, one, other) => {
    expect(read(other, 0)).toEqual(read(one, 0));
  });

  test.each([
    ["role", user(text("a")), model(text("a"))],
    ["call id", model(call({ id: "1" })), model(call({ id: "2" }))],
    ["argument", model(call({ args: { a_b: 1 } })), model(call({ args: { aB: 1 } }))],
    ["response", user(response({ response: { a: 1 } })), user(response({ response: { a: 2 } }))],
    ["picture", user(image), user({ inlineData: { mimeType: "image/png", data: "aGo=" } })],
  ])("another %s is another block", (_, one, other) => {
    expect(read(other, 0)).not.toEqual(read(one, 0));
  });
});

const loop = of(
  user(text("a"), text("b")),
  model(call()),
  user(response(), response()),
  model(text("c"), call()),
  user(text("d"), { function_response: { name: "look", response: {} } }),
  model(text("e")),
);

test.each([
  ["behind the last content", of(user(text("a"))), 1],
  ["behind responses, in a content of its own", of(user(text("a")), model(call()), user(response())), 3],
  ["before what the model has begun to say", loop, 5],
  ["before calls that wait for responses", of(user(text("a")), model(text("b"), call())), 1],
  ["first where there is nothing", of(), 0],
])("end is %s", (_, body, message) => {
  expect(end(body)).toEqual(place(message));
});

test.each([
  ["stays between the parts of what the user said", place(0, 1), place(0, 1)],
  ["stays before a call", place(1), place(1)],
  ["never parts calls and responses", place(2), place(3)],
  ["never stands among responses", place(2, 1), place(3)],
  ["leaves the model's content, and the responses to it", place(3, 1), place(5)],
  ["never stands beside responses", place(4, 1), place(5)],
])("legal %s", (_, at, expected) => {
  expect(legal(loop, at)).toEqual(expected);
});

test("a picture is inline data, and signatures stay as they were", () => {
  const signed = model({ ...call(), thoughtSignature: "c2lnbmVk" });
  const body = of(user(text("a")), signed, user(response()));
  const picture: ReminderBlock[] = [...note, { type: "image", mediaType: "image/png", data: "aGk=" }];
  expect(messages(insert(body, [{ at: end(body), blocks: [picture] }], []))).toEqual([
    user(text("a")),
    signed,
    user(response()),
    user(text("Note."), image),
  ]);
});

test.each([
  ["a part", user(text("a"), text("b")), [0], user(text("b"))],
  ["all parts, and the content with them", user(text("a"), text("b")), [0, 1], undefined],
  ["what is not there", user(text("a")), [1], user(text("a"))],
])("remove takes out %s", (_, content, indexes, left) => {
  const places = indexes.map((index) => place(0, index));
  expect(messages(remove(of(content), places))).toEqual(left ? [left] : []);
});
