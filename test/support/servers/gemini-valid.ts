// Bodies that the Gemini API takes: what the rules must never refuse.
import {
  answer,
  ask,
  call,
  declaration,
  model,
  newer,
  older,
  request,
  result,
  text,
  tools,
  unsigned,
  user,
} from "./gemini-bodies.ts";
import type { GeminiRules } from "./gemini-rules.ts";
import type { ValidCase } from "./rule-case.ts";

const image = { inlineData: { mimeType: "image/png", data: "AAAA" } };
const config = (generationConfig: object) => request([ask], { generationConfig });
const asked = (functionCallingConfig: object) =>
  request([ask], { tools, toolConfig: { functionCallingConfig } });
const declared = (fields: object) =>
  request([ask], { tools: [{ functionDeclarations: [{ ...declaration, ...fields }] }] });

export const validGemini: ValidCase<GeminiRules>[] = [
  { what: "a text", body: request([ask]) },
  { what: "a content without a role", body: request([{ parts: [text("Hi")] }]) },
  { what: "parts", body: request([user(text("a"), text("b"), image)]) },
  {
    what: "a file",
    body: request([user({ fileData: { fileUri: "https://example.com/files/a", mimeType: "a/b" } })]),
  },
  { what: "a conversation", body: request([ask, answer, ask]) },
  { what: "two of the user's contents in a row", body: request([ask, ask]) },
  { what: "two of the model's contents in a row", body: request([ask, answer, answer, ask]) },
  {
    what: "a system instruction",
    body: request([ask], { systemInstruction: { parts: [text("Be brief.")] } }),
  },
  {
    what: "a system instruction with a role",
    body: request([ask], { systemInstruction: { role: "user", parts: [text("a"), text("b")] } }),
  },
  { what: "a tool loop", body: request([ask, model(call()), user(result())], { tools }), rules: newer },
  { what: "a call with text before it", body: request([ask, model(text("x"), call()), user(result())]) },
  {
    what: "a thought before a call",
    body: request([ask, model({ text: "Hm.", thought: true }, call()), user(result())]),
  },
  {
    what: "parallel calls, of which the first is signed",
    body: request([ask, model(call("a"), unsigned("b")), user(result("a"), result("b"))]),
    rules: newer,
  },
  {
    what: "parallel calls, responses in another order",
    body: request([ask, model(call("a"), unsigned("b")), user(result("b"), result("a"))]),
  },
  {
    what: "parallel calls of one function",
    body: request([ask, model(call("a"), unsigned("a")), user(result("a"), result("a"))]),
  },
  {
    what: "calls told apart by id",
    body: request([
      ask,
      model({ ...unsigned("a", "1"), thoughtSignature: "c2lnbmVk" }, unsigned("a", "2")),
      user(result("a", { id: "2" }), result("a", { id: "1" })),
    ]),
  },
  {
    what: "a response with an id to a call without one",
    body: request([ask, model(call("a")), user(result("a", { id: "1" }))]),
  },
  {
    what: "a long tool loop",
    body: request([ask, model(call("a")), user(result("a")), model(call("b")), user(result("b"))], { tools }),
    rules: newer,
  },
  {
    what: "a reminder in a content behind the responses",
    body: request([ask, model(call()), user(result()), user(text("x"))]),
    rules: newer,
  },
  {
    what: "a reminder before the responses",
    body: request([ask, model(call()), user(text("x"), result())]),
    rules: newer,
  },
  {
    what: "a reminder behind the responses, where more follows",
    body: request([ask, model(call()), user(result(), text("x")), answer, ask]),
    rules: newer,
  },
  {
    what: "a reminder behind the responses, for a model that takes it",
    body: request([ask, model(call()), user(result(), text("x"))]),
    rules: older,
  },
  {
    what: "a picture inside a response",
    body: request([ask, model(call()), user(result("get_weather", { parts: [image] }))]),
    rules: newer,
  },
  {
    what: "unsigned calls, for a model that takes them",
    body: request([ask, model(unsigned()), user(result())]),
    rules: older,
  },
  {
    what: "unsigned calls of an earlier turn",
    body: request([ask, model(unsigned()), user(result()), answer, ask, model(call()), user(result())]),
    rules: newer,
  },
  {
    what: "unsigned calls before the user speaks again",
    body: request([ask, model(unsigned()), user(result()), user(text("x"))]),
    rules: newer,
  },
  {
    what: "a call whose signature is lost",
    body: request([
      ask,
      model(call("a", { thoughtSignature: "skip_thought_signature_validator" })),
      user(result("a")),
    ]),
    rules: newer,
  },
  {
    what: "a signed answer",
    body: request([ask, model({ text: "Sunny.", thoughtSignature: "c2lnbmVk" }), ask]),
  },
  {
    what: "a signature without a word",
    body: request([ask, model(text("x"), { text: "", thoughtSignature: "c2lnbmVk" }), ask]),
  },
  { what: "the model last, for one that goes on from there", body: request([ask, answer]), rules: older },
  {
    what: "the model last, for 3.5 Flash",
    body: request([ask, answer]),
    rules: { geminiModel: "gemini-3.5-flash" },
  },
  {
    what: "a schema in the API's own form",
    body: declared({
      parameters: {
        ...{ type: "OBJECT", required: ["city"], propertyOrdering: ["city"] },
        properties: {
          city: { type: "STRING", description: "x", enum: ["Paris"], nullable: true },
          days: { type: "array", items: { type: "integer", minimum: 1 }, minItems: "1" },
        },
      },
    }),
  },
  {
    what: "a whole JSON schema",
    body: declared({
      parametersJsonSchema: {
        ...{
          $schema: "http://json-schema.org/draft-07/schema#",
          type: "object",
          additionalProperties: false,
        },
        properties: { city: { const: "Paris" } },
      },
    }),
  },
  { what: "a tool of the provider's", body: request([ask], { tools: [{ googleSearch: {} }] }) },
  { what: "no tools in a list", body: request([ask], { tools: [] }) },
  { what: "a chosen tool", body: asked({ mode: "ANY", allowedFunctionNames: ["get_weather"] }) },
  { what: "no tool, please", body: asked({ mode: "NONE" }) },
  {
    what: "all settings",
    body: config({
      ...{ temperature: 2, topP: 0, topK: 1, maxOutputTokens: 1, seed: 1, stopSequences: ["END"] },
      ...{ responseMimeType: "application/json", responseJsonSchema: { type: "object" }, candidateCount: 1 },
      ...{ thinkingConfig: { includeThoughts: true, thinkingLevel: "low" }, responseModalities: ["TEXT"] },
    }),
  },
  {
    what: "an answer that comes twice, where that is let through",
    body: request([ask, model(call()), user(result(), result())]),
    rules: { ...older, geminiRepeatedResponses: true },
  },
  { what: "thinking without bounds", body: config({ thinkingConfig: { thinkingBudget: -1 } }) },
  {
    what: "safety settings and cached content",
    body: request([ask], {
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }],
      cachedContent: "cachedContents/a",
    }),
  },
];
