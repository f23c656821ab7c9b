// The shape of an OpenAI Responses request, and the words in which it is refused.

import { functionName, inputItem } from "./openai-responses-items.ts";
import { openaiWords } from "./openai-words.ts";
import {
  anything,
  boolean,
  type Check,
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
  type Words,
} from "./shape.ts";

/** Like the other APIs of OpenAI, but for a parameter it does not know. */
export const responsesWords: Words = (path, problem) =>
  problem.kind === "unknown" && path.length === 1
    ? `Unknown parameter: '${path[0]}'.`
    : openaiWords(path, problem);

const hostedTools = [
  ...["file_search", "web_search", "web_search_2025_08_26", "web_search_preview", "computer"],
  ...["web_search_preview_2025_03_11", "computer_use_preview", "mcp", "code_interpreter", "image_generation"],
  ...["local_shell", "shell", "namespace", "tool_search", "apply_patch", "programmatic_tool_calling"],
];

const ownTools = tagged("type", {
  function: {
    required: { name: functionName },
    optional: {
      description: nullable(string()),
      parameters: nullable(mapping),
      strict: nullable(boolean),
      output_schema: nullable(mapping),
      ...{ allowed_callers: anything, async: anything, defer_loading: anything },
    },
  },
  custom: {
    required: { name: functionName },
    optional: {
      ...{ description: nullable(string()), format: mapping },
      ...{ allowed_callers: anything, async: anything, defer_loading: anything },
    },
  },
});

const tool: Check = (value, path, report) => {
  if (isObject(value) && hostedTools.includes(value.type as string)) return;
  ownTools(value, path, report);
};

const toolChoice: Check = (value, path, report) => {
  if (typeof value === "string") return oneOf(["none", "auto", "required"])(value, path, report);
  if (isObject(value) && hostedTools.includes(value.type as string)) return;
  tagged("type", {
    function: { required: { name: functionName } },
    custom: { required: { name: functionName } },
    allowed_tools: { required: { mode: oneOf(["auto", "required"]), tools: listOf(mapping) } },
  })(value, path, report);
};

const reasoning = object({
  optional: {
    effort: nullable(oneOf(["none", "minimal", "low", "medium", "high", "xhigh", "max"])),
    summary: nullable(oneOf(["auto", "concise", "detailed"])),
    ...{ generate_summary: anything, mode: anything, context: anything },
  },
});

const text = object({
  optional: {
    verbosity: nullable(oneOf(["low", "medium", "high"])),
    format: tagged("type", {
      text: {},
      json_object: {},
      json_schema: {
        required: { name: functionName, schema: mapping },
        optional: { description: string(), strict: nullable(boolean) },
      },
    }),
  },
});

const include = oneOf([
  ...["file_search_call.results", "web_search_call.results", "web_search_call.action.sources"],
  ...["message.input_image.image_url", "computer_call_output.output.image_url"],
  ...["code_interpreter_call.outputs", "reasoning.encrypted_content", "message.output_text.logprobs"],
]);

/** Known to the API and of no consequence to the conversation. */
const unread = [
  ...[
    "access_programs",
    "background",
    "client_metadata",
    "context_management",
    "image",
    "metadata",
    "moderation",
    "prompt",
  ],
  ...["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "safety_identifier", "user"],
];

export const responsesRequest = object({
  required: { model: string({ min: 1 }) },
  optional: {
    input: stringOr(listOf(inputItem)),
    instructions: nullable(string()),
    previous_response_id: nullable(string()),
    conversation: nullable(stringOr(object({ required: { id: string() } }))),
    tools: listOf(tool, { max: 128 }),
    tool_choice: toolChoice,
    parallel_tool_calls: nullable(boolean),
    max_tool_calls: nullable(number({ integer: true, min: 1 })),
    max_output_tokens: nullable(number({ integer: true, min: 16 })),
    store: nullable(boolean),
    stream: nullable(boolean),
    stream_options: nullable(object({ optional: { include_obfuscation: boolean } })),
    include: nullable(listOf(include)),
    reasoning: nullable(reasoning),
    text,
    temperature: nullable(number({ min: 0, max: 2 })),
    top_p: nullable(number({ min: 0, max: 1 })),
    top_logprobs: nullable(number({ integer: true, min: 0, max: 20 })),
    truncation: nullable(oneOf(["auto", "disabled"])),
    service_tier: nullable(oneOf(["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"])),
    ...Object.fromEntries(unread.map((field) => [field, anything])),
  },
});
