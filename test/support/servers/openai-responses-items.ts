// The shape of what an OpenAI Responses request has as input: messages, calls, their outputs, reasoning.
import {
  anything,
  type Check,
  type Fields,
  isObject,
  listOf,
  nullable,
  object,
  oneOf,
  string,
  stringOr,
  tagged,
} from "./shape.ts";

export const functionName = string({ min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/ });
const callId = string({ min: 1, max: 64 });
const itemId = nullable(string({ max: 64 }));
const status = nullable(oneOf(["in_progress", "completed", "incomplete"]));
const breakpoint = {
  prompt_cache_breakpoint: nullable(
    object({ required: { mode: oneOf(["explicit"]) }, optional: { ttl: oneOf(["30m", "12h"]) } }),
  ),
};

const inputParts = {
  input_text: { required: { text: string() }, optional: breakpoint },
  input_image: {
    optional: {
      ...breakpoint,
      image_url: nullable(string({ min: 1, pattern: /^(https?:\/\/|data:image\/)/ })),
      file_id: nullable(string()),
      detail: nullable(oneOf(["auto", "low", "high", "original"])),
    },
  },
  input_file: {
    optional: {
      ...breakpoint,
      file_data: nullable(string()),
      file_id: nullable(string()),
      file_url: nullable(string()),
      filename: nullable(string()),
      detail: nullable(oneOf(["auto", "low", "high"])),
    },
  },
} satisfies Record<string, Fields>;

/** A picture or a file is somewhere: in the part, at an address, or with the provider. */
const inputPart: Check = (value, path, report) => {
  tagged("type", inputParts)(value, path, report);
  if (!isObject(value)) return;
  if (value.type === "input_image" && !value.image_url && !value.file_id) {
    report([...path, "image_url"], { kind: "missing" });
  }
  if (value.type === "input_file" && !value.file_data && !value.file_id && !value.file_url) {
    report([...path, "file_id"], { kind: "missing" });
  }
};

const inputContent = stringOr(listOf(inputPart, { min: 1 }));
const outputContent = stringOr(
  listOf(
    tagged("type", {
      output_text: { required: { text: string() }, optional: { annotations: anything, logprobs: anything } },
      refusal: { required: { refusal: string() } },
    }),
  ),
);

const spoken: Fields = {
  required: { content: inputContent },
  optional: { type: anything, id: itemId, status },
};
const message = tagged("role", {
  user: spoken,
  system: spoken,
  developer: spoken,
  assistant: {
    required: { content: outputContent },
    optional: {
      ...{ type: anything, id: itemId, status },
      phase: nullable(oneOf(["commentary", "final_answer"])),
    },
  },
});

const called = {
  ...{ id: itemId, status, caller: anything, namespace: nullable(string()) },
  async: anything,
};
const output = { required: { call_id: callId, output: stringOr(listOf(inputPart)) } };
const kinds = {
  function_call: {
    required: { call_id: callId, name: functionName, arguments: string() },
    optional: called,
  },
  function_call_output: { ...output, optional: { ...called, name: nullable(string()) } },
  custom_tool_call: {
    required: { call_id: callId, name: functionName, input: string() },
    optional: called,
  },
  custom_tool_call_output: { ...output, optional: called },
  reasoning: {
    required: { summary: listOf(tagged("type", { summary_text: { required: { text: string() } } })) },
    optional: {
      ...{ id: itemId, encrypted_content: nullable(string()) },
      content: nullable(listOf(tagged("type", { reasoning_text: { required: { text: string() } } }))),
    },
  },
  compaction: { required: { encrypted_content: string() }, optional: { id: itemId } },
  item_reference: { required: { id: string({ max: 64 }) } },
} satisfies Record<string, Fields>;

/** Known to the API and read by none of the rules here: what its own tools do. */
const unread = [
  ...[
    "file_search_call",
    "web_search_call",
    "computer_call",
    "computer_call_output",
    "image_generation_call",
  ],
  ...["code_interpreter_call", "local_shell_call", "local_shell_call_output", "shell_call"],
  ...["shell_call_output", "apply_patch_call", "apply_patch_call_output", "mcp_list_tools", "mcp_call"],
  ...["mcp_approval_request", "mcp_approval_response", "tool_search_call", "tool_search_output"],
  ...["additional_tools", "configuration_update", "compaction_trigger", "program", "program_output"],
];

export const inputItem: Check = (value, path, report) => {
  const type = isObject(value) ? (value.type ?? "message") : undefined;
  if (type === "message") return message(value, path, report);
  if (typeof type === "string" && unread.includes(type)) return;
  tagged("type", { message: {}, ...kinds })(value, path, report);
};
