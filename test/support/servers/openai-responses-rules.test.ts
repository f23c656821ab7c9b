// The OpenAI Responses rules refuse every case made to break one, for that reason alone, and take every valid one.
import { describe, expect, test } from "vitest";
import { ask, call, output, request } from "./openai-responses-bodies.ts";
import { invalidOpenAIResponses } from "./openai-responses-invalid.ts";
import { checkOpenAIResponses } from "./openai-responses-rules.ts";
import { createResponseStore } from "./openai-responses-store.ts";
import { validOpenAIResponses } from "./openai-responses-valid.ts";

describe("what OpenAI refuses", () => {
  test.each(invalidOpenAIResponses)("$rule", ({ body, rules, expect: complaints }) => {
    expect(checkOpenAIResponses(body, rules)).toEqual(
      [complaints].flat().map((complaint) => expect.stringMatching(complaint)),
    );
  });
});

describe("what OpenAI takes", () => {
  test.each(validOpenAIResponses)("$what", ({ body, rules }) => {
    expect(checkOpenAIResponses(body, rules)).toEqual([]);
  });
});

test("each case has a name of its own", () => {
  const names = [
    ...invalidOpenAIResponses.map(({ rule }) => rule),
    ...validOpenAIResponses.map(({ what }) => what),
  ];
  expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
});

describe("what a server that kept a response with reasoning and a call", () => {
  const store = createResponseStore();
  const rs = { type: "reasoning", id: "rs_1", summary: [] };
  const fc = call("a", { id: "fc_1" });
  store.keep("resp_1", [ask], [rs, fc]);
  const reference = (id: string) => ({ type: "item_reference", id });
  const goingOn = (input: unknown) => request(input, { previous_response_id: "resp_1" });

  test.each([
    ["its output", goingOn([output("a")])],
    ["its output, and a reminder", goingOn([output("a"), ask])],
    ["the call again without its id", goingOn([call("a"), output("a")])],
    ["references", request([ask, reference("rs_1"), reference("fc_1"), output("a")])],
    [
      "a reference to the reasoning alone, the call in full",
      request([ask, reference("rs_1"), call("a"), output("a")]),
    ],
    ["both in full", request([ask, rs, fc, output("a")])],
    ["the call without its id and without reasoning", request([ask, call("a"), output("a")])],
  ])("takes: %s", (_, body) => {
    expect(checkOpenAIResponses(body, {}, store)).toEqual([]);
  });

  const unanswered = "No tool output found for function call a.";
  const unthought =
    "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.";
  test.each([
    ["no output", goingOn([ask]), unanswered],
    ["nothing", { model: "gpt-test", previous_response_id: "resp_1" }, unanswered],
    [
      "the output of another call",
      goingOn([output("a"), output("b")]),
      "No tool call found for function call output with call_id b.",
    ],
    [
      "the same item again",
      goingOn([fc, output("a")]),
      "Duplicate item found with id fc_1. Remove duplicate items from your input and try again.",
    ],
    ["the call by its id without reasoning", request([ask, fc, output("a")]), unthought],
    ["a reference without reasoning", request([ask, reference("fc_1"), output("a")]), unthought],
    [
      "something between reasoning and call",
      request([ask, reference("rs_1"), ask, reference("fc_1"), output("a")]),
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ],
  ])("refuses: %s", (_, body, complaint) => {
    expect(checkOpenAIResponses(body, {}, store)).toEqual([complaint]);
  });
});
