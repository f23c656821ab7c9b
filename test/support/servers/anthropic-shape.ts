// The shape of an Anthropic Messages request, and the words in which the provider refuses another one.
import { cacheControl, contentBlock, textBlock } from "./anthropic-blocks.ts";
import {
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
  type Path,
  type Problem,
  string,
  stringOr,
  tagged,
} from "./shape.ts";

const parallel = { disable_parallel_tool_use: boolean };

const inputSchema: Check = (value, path, report) => {
  mapping(value, path, report);
  if (isObject(value)) oneOf(["object"])(value.type, [...path, "type"], report);
};

const customTool = tagged(
  "type",
  {
    custom: {
      required: { name: string({ pattern: /^[a-zA-Z0-9_-]{1,128}$/ }), input_schema: inputSchema },
      optional: {
        cache_control: cacheControl,
        description: string(),
        strict: boolean,
        defer_loading: boolean,
        eager_input_streaming: nullable(boolean),
        allowed_callers: listOf(string()),
        input_examples: listOf(mapping),
      },
    },
  },
  "custom",
);

const tool: Check = (value, path, report) => {
  const builtIn = isObject(value) && /^[a-z_]+_20\d{6}$/.test(String(value.type));
  // Tools the provider brings along are known by their dated type; their settings are no business of ours.
  if (builtIn) cacheControl(value.cache_control ?? null, [...path, "cache_control"], report);
  else customTool(value, path, report);
};

const request = {
  required: {
    model: string({ min: 1 }),
    max_tokens: number({ integer: true, min: 0 }),
    messages: listOf(
      object({
        required: {
          role: oneOf(["user", "assistant", "system"]),
          content: stringOr(listOf(contentBlock)),
        },
      }),
    ),
  },
  optional: {
    system: stringOr(listOf(tagged("type", { text: textBlock }))),
    tools: listOf(tool),
    tool_choice: tagged("type", {
      auto: { optional: parallel },
      any: { optional: parallel },
      tool: { required: { name: string({ min: 1 }) }, optional: parallel },
      none: {},
    }),
    thinking: tagged("type", {
      enabled: {
        required: { budget_tokens: number({ integer: true, min: 1024 }) },
        optional: { display: nullable(oneOf(["summarized", "omitted"])) },
      },
      adaptive: { optional: { display: nullable(oneOf(["summarized", "omitted"])) } },
      between_tools: {},
      disabled: {},
    }),
    stop_sequences: listOf(string({ min: 1 })),
    stream: boolean,
    metadata: object({ optional: { user_id: nullable(string({ max: 256 })) } }),
    output_config: object({
      optional: {
        effort: nullable(oneOf(["low", "medium", "high", "xhigh", "max"])),
        format: nullable(tagged("type", { json_schema: { required: { schema: mapping } } })),
      },
    }),
    service_tier: oneOf(["auto", "standard_only"]),
    cache_control: cacheControl,
    container: nullable(stringOr(mapping)),
    diagnostics: nullable(mapping),
    inference_geo: nullable(string()),
    speed: nullable(oneOf(["standard", "fast"])),
  },
} satisfies Fields;

/** Sampling can be set in the first version of the API only. */
const sampling = {
  temperature: number({ min: 0, max: 1 }),
  top_p: number({ min: 0, max: 1 }),
  top_k: number({ integer: true, min: 0 }),
};

export const messagesRequest = object(request);
export const firstMessagesRequest = object({ ...request, optional: { ...request.optional, ...sampling } });

export function anthropicWords(path: Path, problem: Problem): string {
  const where = path.map((part) => (typeof part === "object" ? part.tag : part)).join(".");
  return where === "" ? complaint(problem) : `${where}: ${complaint(problem)}`;
}

const TYPE_NAMES: Record<string, string> = {
  string: "a valid string",
  boolean: "a valid boolean",
  integer: "a valid integer",
  number: "a valid number",
  array: "a valid list",
  object: "a valid dictionary",
};

function complaint(problem: Problem): string {
  switch (problem.kind) {
    case "missing":
      return "Field required";
    case "unknown":
      return "Extra inputs are not permitted";
    case "type":
      return `Input should be ${TYPE_NAMES[problem.expected]}`;
    case "choice":
      return `Input should be ${orList(problem.allowed)}`;
    case "tag":
      return `Input tag '${problem.got}' found using '${problem.key}' does not match any of the expected tags: ${problem.allowed.map(quoted).join(", ")}`;
    case "empty":
      return `${unitOf(problem)} at least ${problem.limit}, not ${problem.length}`;
    case "too long":
      return `${unitOf(problem)} at most ${problem.limit}, not ${problem.length}`;
    case "below":
      return `Input should be greater than or equal to ${problem.limit}`;
    case "above":
      return `Input should be less than or equal to ${problem.limit}`;
    case "pattern":
      return `String should match pattern '${problem.pattern}'`;
  }
}

function unitOf({ of }: { of: "string" | "array" }): string {
  return of === "string" ? "String length should be" : "List length should be";
}

function orList(values: readonly string[]): string {
  const last = values.at(-1) ?? "";
  return [values.slice(0, -1).map(quoted).join(", "), quoted(last)].filter(Boolean).join(" or ");
}

function quoted(value: string): string {
  return `'${value}'`;
}
