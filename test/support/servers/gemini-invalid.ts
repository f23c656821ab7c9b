// For each rule of Gemini a smallest body that breaks it, and nothing else.
import { answer, ask, call, model, newer, request, result, text, unsigned, user } from "./gemini-bodies.ts";
import { invalidGeminiFields } from "./gemini-invalid-fields.ts";
import { invalidGeminiTools } from "./gemini-invalid-tools.ts";
import type { GeminiRules } from "./gemini-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const CALL_BEHIND_USER = /^Please ensure that function call turn comes immediately after a user turn/;
const RESPONSE_BEHIND_CALL =
  /^Please ensure that function response turn comes immediately after a function call turn/;
const NUMBER = /^Please ensure that the number of function response parts is equal/;
const NAMES = /^Please ensure that function responses have the names and ids/;
const END = /^Requests ending with a model turn are not supported\.$/;
const SIGNATURE = /^Function call is missing a thought_signature in functionCall parts/;

export const invalidGemini: InvalidCase<GeminiRules>[] = [
  ...invalidGeminiFields,
  ...invalidGeminiTools,
  {
    rule: "the user is first",
    body: request([answer, ask]),
    expect: /^Please ensure that the first content is from/,
  },
  { rule: "a call is not first", body: request([model(call()), user(result())]), expect: CALL_BEHIND_USER },
  {
    rule: "a call is not behind what the model said in a content of its own",
    body: request([ask, answer, model(call()), user(result())]),
    expect: CALL_BEHIND_USER,
  },
  {
    rule: "calls of one step are one content",
    body: request([ask, model(call("a")), model(call("b")), user(result("a"), result("b"))]),
    expect: [NUMBER, CALL_BEHIND_USER, NUMBER],
  },
  {
    rule: "calls come from the model",
    body: request([user(unsigned())]),
    expect: /^Please ensure that function calls come/,
    rules: { geminiModel: "gemini-2.5-pro" },
  },
  { rule: "a call has its response", body: request([ask, model(call()), ask]), expect: NUMBER },
  { rule: "a call is not last", body: request([ask, model(call())]), expect: NUMBER, rules: newer },
  {
    rule: "each call has its response",
    body: request([ask, model(call("a"), unsigned("b")), user(result("a"))]),
    expect: NUMBER,
  },
  {
    rule: "no call has two responses",
    body: request([ask, model(call("a")), user(result("a"), result("a"))]),
    expect: NUMBER,
  },
  {
    rule: "responses are one content",
    body: request([ask, model(call("a"), unsigned("b")), user(result("a")), user(result("b"))]),
    expect: [NUMBER, RESPONSE_BEHIND_CALL],
  },
  {
    rule: "nobody speaks between calls and responses",
    body: request([ask, model(call()), user(text("x")), user(result())]),
    expect: [NUMBER, RESPONSE_BEHIND_CALL],
  },
  {
    rule: "a response is of that function",
    body: request([ask, model(call("a")), user(result("b"))]),
    expect: NAMES,
  },
  {
    rule: "a response is of that call",
    body: request([
      ask,
      model({ ...unsigned("a", "1"), thoughtSignature: "c2lnbmVk" }),
      user(result("a", { id: "2" })),
    ]),
    expect: NAMES,
  },
  {
    rule: "a response has its call",
    body: request([ask, answer, user(result())]),
    expect: RESPONSE_BEHIND_CALL,
  },
  { rule: "a response is not first", body: request([user(result())]), expect: RESPONSE_BEHIND_CALL },
  {
    rule: "a response comes from the user",
    body: request([ask, model(call()), model(result()), ask]),
    expect: /^Please ensure that function responses come from the user/,
  },
  { rule: "the model is not last", body: request([ask, answer]), expect: END, rules: newer },
  { rule: "the model is not last, for an unknown one", body: request([ask, answer]), expect: END },
  {
    rule: "the model is not last, for 3.5 Flash-Lite",
    body: request([ask, answer]),
    expect: END,
    rules: { geminiModel: "gemini-3.5-flash-lite" },
  },
  {
    rule: "no text behind responses in the last content",
    body: request([ask, model(call()), user(result(), text("x"))]),
    expect: END,
    rules: newer,
  },
  {
    rule: "no picture behind responses in the last content",
    body: request([
      ask,
      model(call()),
      user(result(), { inlineData: { mimeType: "image/png", data: "AAAA" } }),
    ]),
    expect: END,
    rules: newer,
  },
  {
    rule: "a call is signed",
    body: request([ask, model(unsigned()), user(result())]),
    expect: SIGNATURE,
    rules: newer,
  },
  {
    rule: "a call is signed, for an unknown model",
    body: request([ask, model(unsigned()), user(result())]),
    expect: SIGNATURE,
  },
  {
    rule: "a call is signed in each step",
    body: request([ask, model(call("a")), user(result("a")), model(unsigned("b")), user(result("b"))]),
    expect: /function call `default_api:b` , position 4/,
    rules: newer,
  },
  {
    rule: "of parallel calls the first is signed",
    body: request([ask, model(unsigned("a"), call("b")), user(result("a"), result("b"))]),
    expect: SIGNATURE,
    rules: newer,
  },
  {
    rule: "a signature is one",
    body: request([ask, model(call("a", { thoughtSignature: "not signed" })), user(result("a"))]),
    expect: /^Invalid value at 'contents\[1\]\.parts\[0\]\.thought_signature' \(TYPE_BYTES\), Base64/,
  },
];
