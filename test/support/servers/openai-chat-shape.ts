// The shape of an OpenAI Chat Completions request.
import {
  anything,
  boolean,
  type Check,
  type Fields,
  isObject,
  listOf,
  mapping,
  nullable,
  number,
  object,
  oneOf,
  string,
  stringOr,
  tagged,
} from "./shape.ts";

const functionName = string({ min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/ });
const callId = string({ min: 1, max: 40 });
const penalty = nullable(number({ min: -2, max: 2 }));
const limit = nullable(number({ integer: true, min: 1 }));
const breakpoint = {
  prompt_cache_breakpoint: object({
    required: { mode: oneOf(["explicit"]) },
    optional: { ttl: oneOf(["30m", "12h"]) },
  }),
};

const file: Check = (value, path, report) => {
  object({ optional: { file_data: string(), file_id: string(), filename: string() } })(value, path, report);
  if (!isObject(value) || value.file_id) return;
  if (!value.file_data) report([...path, "file_id"], { kind: "missing" });
  else if (!value.filename) report([...path, "filename"], { kind: "missing" });
};

const textPart: Fields = { required: { text: string({ min: 1 }) }, optional: breakpoint };
const parts = {
  text: textPart,
  image_url: {
    required: {
      image_url: object({
        required: { url: string({ min: 1, pattern: /^(https?:\/\/|data:image\/)/ }) },
        optional: { detail: oneOf(["auto", "low", "high", "original"]) },
      }),
    },
    optional: breakpoint,
  },
  input_audio: {
    required: {
      input_audio: object({ required: { data: string({ min: 1 }), format: oneOf(["wav", "mp3"]) } }),
    },
    optional: breakpoint,
  },
  file: {
    required: {
      file,
    },
    optional: breakpoint,
  },
} satisfies Record<string, Fields>;

const textContent = stringOr(partsOf({ text: textPart }));
const name = string({ pattern: /^[^\s<|\\/>]+$/ });

const toolCall = tagged("type", {
  function: {
    required: {
      id: callId,
      function: object({
        required: { name: functionName, arguments: string() },
        optional: { parsed_arguments: anything },
      }),
    },
  },
  custom: { required: { id: callId, custom: object({ required: { name: functionName, input: string() } }) } },
});

const message = tagged("role", {
  system: { required: { content: textContent }, optional: { name } },
  developer: { required: { content: textContent }, optional: { name } },
  user: { required: { content: stringOr(partsOf(parts)) }, optional: { name } },
  assistant: {
    optional: {
      name,
      content: nullable(
        stringOr(partsOf({ text: textPart, refusal: { required: { refusal: string({ min: 1 }) } } })),
      ),
      refusal: nullable(string()),
      tool_calls: listOf(toolCall, { min: 1 }),
      function_call: nullable(object({ required: { name: functionName, arguments: string() } })),
      audio: nullable(object({ required: { id: string() } })),
      // The API and its SDK add these to answers, and clients send answers back as they are.
      annotations: listOf(mapping),
      parsed: anything,
    },
  },
  tool: { required: { tool_call_id: callId, content: textContent } },
  function: { required: { name: functionName, content: nullable(string()) } },
});

const tool = tagged("type", {
  function: {
    required: {
      function: object({
        required: { name: functionName },
        optional: { description: string(), parameters: mapping, strict: nullable(boolean) },
      }),
    },
  },
  custom: {
    required: {
      custom: object({
        required: { name: functionName },
        optional: { description: string(), format: mapping },
      }),
    },
  },
});

const namedTool = object({ required: { name: functionName } });
const toolChoice: Check = (value, path, report) => {
  if (typeof value === "string") oneOf(["none", "auto", "required"])(value, path, report);
  else {
    tagged("type", {
      function: { required: { function: namedTool } },
      custom: { required: { custom: namedTool } },
      allowed_tools: { required: { allowed_tools: mapping } },
    })(value, path, report);
  }
};

/** Known to the API and of no consequence to the conversation. */
const unread = [
  ...[
    "audio",
    "function_call",
    "functions",
    "logit_bias",
    "metadata",
    "moderation",
    "prediction",
    "seed",
    "store",
  ],
  ...["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "safety_identifier", "user"],
  "web_search_options",
];

export const chatRequest = object({
  required: { model: string({ min: 1 }), messages: listOf(message, { min: 1 }) },
  optional: {
    tools: listOf(tool, { min: 1, max: 128 }),
    tool_choice: toolChoice,
    parallel_tool_calls: boolean,
    stream: nullable(boolean),
    stream_options: nullable(object({ optional: { include_usage: boolean, include_obfuscation: boolean } })),
    temperature: nullable(number({ min: 0, max: 2 })),
    top_p: nullable(number({ min: 0, max: 1 })),
    n: nullable(number({ integer: true, min: 1, max: 128 })),
    frequency_penalty: penalty,
    presence_penalty: penalty,
    max_tokens: limit,
    max_completion_tokens: limit,
    logprobs: nullable(boolean),
    top_logprobs: nullable(number({ integer: true, min: 0, max: 20 })),
    stop: nullable(stringOr(listOf(string(), { max: 4 }))),
    response_format: tagged("type", {
      text: {},
      json_object: {},
      json_schema: { required: { json_schema: mapping } },
    }),
    reasoning_effort: nullable(oneOf(["none", "minimal", "low", "medium", "high", "xhigh", "max"])),
    verbosity: nullable(oneOf(["low", "medium", "high"])),
    service_tier: nullable(oneOf(["auto", "default", "flex", "scale", "priority", "fast"])),
    modalities: nullable(listOf(oneOf(["text", "audio"]))),
    ...Object.fromEntries(unread.map((field) => [field, anything])),
  },
});

function partsOf(kinds: Record<string, Fields>): Check {
  return listOf(tagged("type", kinds), { min: 1 });
}
