// For each rule about the request's fields a smallest Gemini body that breaks it.
import { answer, ask, call, model, request, result, text, user } from "./gemini-bodies.ts";
import type { GeminiRules } from "./gemini-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const config = (generationConfig: object) => request([ask], { generationConfig });
const NOTHING = /parts\[0\]\.data: required oneof field 'data' must have one initialized field$/;

export const invalidGeminiFields: InvalidCase<GeminiRules>[] = [
  { rule: "a body is an object", body: null, expect: /\(TYPE_MESSAGE\), null$/ },
  {
    rule: "contents are there",
    body: {},
    expect: /^\* GenerateContentRequest\.contents: contents is not specified$/,
  },
  {
    rule: "contents are not none",
    body: request([]),
    expect: /^\* GenerateContentRequest\.contents: contents must not/,
  },
  {
    rule: "contents are a list",
    body: { contents: ask },
    expect: /^Invalid value at 'contents' \(repeated\)/,
  },
  {
    rule: "no unknown fields",
    body: request([ask], { messages: [] }),
    expect: /^Invalid JSON payload received\. Unknown name "messages": Cannot find field\.$/,
  },
  {
    rule: "no unknown fields on contents",
    body: request([{ ...ask, name: "ada" }]),
    expect: /Unknown name "name" at 'contents\[0\]': Cannot find field\.$/,
  },
  {
    rule: "no unknown fields on parts",
    body: request([user({ ...text("x"), cacheControl: {} })]),
    expect: /Unknown name "cacheControl" at 'contents\[0\]\.parts\[0\]': Cannot find field\.$/,
  },
  {
    rule: "no unknown fields on calls",
    body: request([ask, model({ functionCall: { name: "a", input: {} } }), user(result("a"))]),
    expect: /Unknown name "input" at 'contents\[1\]\.parts\[0\]\.function_call': Cannot find field\.$/,
  },
  {
    rule: "known roles",
    body: request([{ role: "assistant", parts: [text("x")] }]),
    expect: /^Please use a valid role: user, model\.$/,
  },
  {
    rule: "responses have no role of their own",
    body: request([ask, model(call()), { role: "function", parts: [result()] }]),
    expect: /^Please use a valid role: user, model\.$/,
  },
  {
    rule: "parts are not none",
    body: request([ask, model(), ask]),
    expect: /^\* GenerateContentRequest\.contents\[1\]\.parts: contents\.parts must not be empty\.$/,
  },
  {
    rule: "parts are there",
    body: request([{ role: "user" }]),
    expect: /contents\[0\]\.parts: contents\.parts is not/,
  },
  {
    rule: "parts are a list",
    body: request([{ parts: "x" }]),
    expect: /^Invalid value at 'contents\[0\]\.parts' \(rep/,
  },
  { rule: "a part is something", body: request([user({})]), expect: NOTHING },
  { rule: "a text says something", body: request([user(text(""))]), expect: NOTHING },
  {
    rule: "a part is one thing",
    body: request([user({ ...text("x"), fileData: { fileUri: "a" } })]),
    expect: /^Invalid value at 'contents\[0\]\.parts\[0\]' \(oneof\), oneof field 'data' is already set/,
  },
  {
    rule: "a picture has a type",
    body: request([user({ inlineData: { data: "AAAA" } })]),
    expect: /inline_data\.mime_type: .* is not specified$/,
  },
  {
    rule: "a picture is base64",
    body: request([user({ inlineData: { mimeType: "image/png", data: "data:image/png;base64,AAAA" } })]),
    expect: /^Invalid value at 'contents\[0\]\.parts\[0\]\.inline_data\.data' \(TYPE_BYTES\), Base64/,
  },
  {
    rule: "a call has a name",
    body: request([ask, model({ functionCall: {} }), ask]),
    expect: /contents\[1\]\.parts\[0\]\.function_call\.name: Name cannot be empty\.$/,
  },
  {
    rule: "arguments are an object",
    body: request([ask, model({ functionCall: { name: "a", args: "{}" } }), ask]),
    expect: /^Invalid value at 'contents\[1\]\.parts\[0\]\.function_call\.args' \(TYPE_MESSAGE\), "{}"$/,
  },
  {
    rule: "a response has a name",
    body: request([ask, answer, user({ functionResponse: { response: {} } })]),
    expect: /function_response\.name: Name cannot be empty\.$/,
  },
  {
    rule: "a response is an object",
    body: request([ask, answer, user({ functionResponse: { name: "a", response: "sunny" } })]),
    expect: /function_response\.response' \(TYPE_MESSAGE\), "sunny"$/,
  },
  {
    rule: "a system instruction is a content",
    body: request([ask], { systemInstruction: "Be brief." }),
    expect: /^Invalid value at 'system_instruction' \(TYPE_MESSAGE\)/,
  },
  {
    rule: "a system instruction is text",
    body: request([ask], { systemInstruction: { parts: [call()] } }),
    expect: [/system_instruction\.parts\.text is not specified$/, /"functionCall"/, /"thoughtSignature"/],
  },
  {
    rule: "temperature up to 2",
    body: config({ temperature: 2.1 }),
    expect: /temperature is out of range: above 2\.$/,
  },
  {
    rule: "a limit of tokens from 1",
    body: config({ maxOutputTokens: 0 }),
    expect: /is out of range: below 1\.$/,
  },
  {
    rule: "five stop sequences",
    body: config({ stopSequences: [..."abcdef"] }),
    expect: /must have at most 5 elements/,
  },
  {
    rule: "settings are in their place",
    body: request([ask], { temperature: 1 }),
    expect: /Unknown name "temperature": Cannot find field\.$/,
  },
  {
    rule: "no unknown settings",
    body: config({ maxTokens: 1 }),
    expect: /Unknown name "maxTokens" at 'generation_config': Cannot find field\.$/,
  },
  {
    rule: "thinking is bounded once",
    body: config({ thinkingConfig: { thinkingBudget: 1, thinkingLevel: "low" } }),
    expect: /^You can only set only one of thinking budget and thinking level\.$/,
  },
];
