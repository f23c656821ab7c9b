// The shape of a Gemini generateContent request. The API also takes its fields in snake_case; no client here does.
import {
  anything,
  boolean,
  type Check,
  isObject,
  listOf,
  mapping,
  number,
  object,
  oneOf,
  string,
} from "./shape.ts";

const base64 = string({ pattern: /^[A-Za-z0-9+/_-]+={0,2}$/ });
const functionName = string({ min: 1, max: 64, pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/ });
const inlineData = object({ required: { mimeType: string(), data: base64 } });
const fileData = object({ required: { fileUri: string() }, optional: { mimeType: string() } });

/** What a part can be; each is one of these, and the rules see to that. */
export const partData = {
  text: string(),
  inlineData,
  fileData,
  functionCall: object({ required: { name: functionName }, optional: { args: mapping, id: string() } }),
  functionResponse: object({
    required: { name: functionName, response: mapping },
    optional: {
      id: string(),
      parts: listOf(object({ optional: { inlineData, fileData } })),
      ...{ willContinue: boolean, scheduling: string() },
    },
  }),
  ...{ executableCode: mapping, codeExecutionResult: mapping, toolCall: mapping, toolResponse: mapping },
};

const part = object({
  optional: {
    ...partData,
    ...{ thought: boolean, thoughtSignature: base64 },
    ...{ videoMetadata: mapping, partMetadata: mapping, mediaResolution: mapping },
  },
});

const content = object({
  required: { parts: listOf(part, { min: 1 }) },
  optional: { role: oneOf(["user", "model"]) },
});

const systemInstruction = object({
  required: { parts: listOf(object({ required: { text: string() } }), { min: 1 }) },
  optional: { role: string() },
});

const TYPES = ["string", "number", "integer", "boolean", "array", "object", "null", "type_unspecified"];
const type: Check = (value, path, report) => {
  const known = typeof value === "string" && TYPES.includes(value.toLowerCase());
  if (!known) report(path, { kind: "choice", allowed: TYPES, got: value });
};

/** The part of OpenAPI's schemas that the API has; whole JSON schemas go into fields of their own. */
const schema: Check = (value, path, report) => schemaFields(value, path, report);
const properties: Check = (value, path, report) => {
  mapping(value, path, report);
  for (const [key, element] of Object.entries(isObject(value) ? value : {})) {
    schema(element, [...path, key], report);
  }
};
/** A number, or one written as a string: the protocol has 64 bits for it. */
const count = anything;
const schemaFields = object({
  optional: {
    ...{ type, format: string(), title: string(), description: string(), nullable: boolean },
    ...{ enum: listOf(string()), required: listOf(string()), propertyOrdering: listOf(string()) },
    ...{ properties, items: schema, anyOf: listOf(schema), pattern: string() },
    ...{ minItems: count, maxItems: count, minLength: count, maxLength: count },
    ...{ minProperties: count, maxProperties: count, minimum: count, maximum: count },
    ...{ default: anything, example: anything },
  },
});

const declaration = object({
  required: { name: functionName },
  optional: {
    ...{ description: string(), behavior: string(), parameters: schema, response: schema },
    ...{ parametersJsonSchema: mapping, responseJsonSchema: mapping },
  },
});

const tool = object({
  optional: {
    functionDeclarations: listOf(declaration),
    ...{ googleSearch: mapping, googleSearchRetrieval: mapping, codeExecution: mapping },
    ...{ urlContext: mapping, fileSearch: mapping, googleMaps: mapping, computerUse: mapping },
  },
});

const toolConfig = object({
  optional: {
    functionCallingConfig: object({
      optional: {
        mode: oneOf(["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"]),
        allowedFunctionNames: listOf(string()),
      },
    }),
    ...{ retrievalConfig: mapping, includeServerSideToolInvocations: boolean },
  },
});

const thinkingConfig = object({
  optional: {
    includeThoughts: boolean,
    thinkingBudget: number({ integer: true, min: -1 }),
    thinkingLevel: oneOf(["minimal", "low", "medium", "high", "MINIMAL", "LOW", "MEDIUM", "HIGH"]),
  },
});

const positive = number({ integer: true, min: 1 });
const generationConfig = object({
  optional: {
    ...{ temperature: number({ min: 0, max: 2 }), topP: number({ min: 0, max: 1 }), topK: positive },
    ...{ maxOutputTokens: positive, candidateCount: positive, seed: number({ integer: true }) },
    ...{ presencePenalty: number(), frequencyPenalty: number() },
    stopSequences: listOf(string(), { max: 5 }),
    ...{ responseMimeType: string(), responseSchema: schema, responseJsonSchema: mapping },
    responseModalities: listOf(oneOf(["MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "AUDIO"])),
    ...{ responseLogprobs: boolean, logprobs: number({ integer: true, min: 0, max: 20 }) },
    ...{ thinkingConfig, mediaResolution: string(), speechConfig: mapping, imageConfig: mapping },
  },
});

export const geminiRequest = object({
  required: { contents: listOf(content, { min: 1 }) },
  optional: {
    ...{ systemInstruction, generationConfig, toolConfig, tools: listOf(tool) },
    ...{ safetySettings: listOf(mapping), cachedContent: string(), serviceTier: string() },
    ...{ continuationToken: string(), store: boolean, model: string() },
  },
});
