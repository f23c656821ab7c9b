// For each rule about tools and their schemas a smallest Gemini body that breaks it.
import { ask, declaration, request, tools } from "./gemini-bodies.ts";
import type { GeminiRules } from "./gemini-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const asked = (functionCallingConfig: object) =>
  request([ask], { tools, toolConfig: { functionCallingConfig } });
const declared = (...functionDeclarations: object[]) => request([ask], { tools: [{ functionDeclarations }] });
const schema = (parameters: object) => declared({ ...declaration, parameters });

export const invalidGeminiTools: InvalidCase<GeminiRules>[] = [
  {
    rule: "known tools",
    body: request([ask], { tools: [{ bash: {} }] }),
    expect: /Unknown name "bash" at 'tools\[0\]': Cannot find field\.$/,
  },
  {
    rule: "a tool's name is plain",
    body: declared({ name: "get weather" }),
    expect: /\.name: Invalid function name\./,
  },
  {
    rule: "a tool's name is short",
    body: declared({ name: "a".repeat(65) }),
    expect: /\.name: Invalid function name\./,
  },
  {
    rule: "a tool's name starts plainly",
    body: declared({ name: "1st" }),
    expect: /\.name: Invalid function name\./,
  },
  {
    rule: "tool names are unique",
    body: declared(declaration, declaration),
    expect: /^Duplicate function declaration found: get/,
  },
  {
    rule: "a schema has only the API's fields",
    body: schema({ type: "object", additionalProperties: false }),
    expect: /Unknown name "additionalProperties" at 'tools\[0\]\.function_declarations\[0\]\.parameters'/,
  },
  {
    rule: "a schema has only the API's fields further down",
    body: schema({ type: "object", properties: { city: { anyOf: [{ const: "Paris" }] } } }),
    expect: /Unknown name "const" at '.*\.parameters\.properties\.city\.any_of\[0\]'/,
  },
  {
    rule: "known types",
    body: schema({ type: ["string", "null"] }),
    expect: /parameters\.type' \(TYPE_ENUM\)/,
  },
  {
    rule: "a list has items",
    body: schema({ type: "array" }),
    expect: /parameters\.items: missing field\.$/,
  },
  {
    rule: "what is required is defined",
    body: schema({ type: "object", properties: { a: { type: "string", required: ["b"] } } }),
    expect: /parameters\.properties\[a\]\.required\[0\]: property is not defined$/,
  },
  {
    rule: "one schema",
    body: declared({
      ...declaration,
      parameters: { type: "object" },
      parametersJsonSchema: { type: "object" },
    }),
    expect: /parameters and parameters_json_schema are mutually exclusive/,
  },
  { rule: "known modes", body: asked({ mode: "SOMETIMES" }), expect: /mode' \(TYPE_ENUM\), "SOMETIMES"$/ },
  {
    rule: "no choice without tools",
    body: request([ask], { toolConfig: { functionCallingConfig: { mode: "ANY" } } }),
    expect: /^Function calling config is set without function_declarations\.$/,
  },
  {
    rule: "names are allowed only where a call must come",
    body: asked({ mode: "AUTO", allowedFunctionNames: ["get_weather"] }),
    expect: /^Please set allowed_function_names only when function calling mode is ANY\.$/,
  },
  {
    rule: "allowed names are declared",
    body: asked({ mode: "ANY", allowedFunctionNames: ["other"] }),
    expect: /^allowed_function_names has 'other'/,
  },
];
