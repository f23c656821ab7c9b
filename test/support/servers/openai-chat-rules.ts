// Refuses what the OpenAI Chat Completions API refuses, in words close to its own.
import { chatRequest } from "./openai-chat-shape.ts";
import { openaiWords } from "./openai-words.ts";
import { problemsOf } from "./shape.ts";

/**
 * `noSystemInARow` (default true) is a rule of this house: OpenAI takes such messages, many servers of its API do not.
 * `namedAnswers` (default false) lets the answer of a tool have a `name`, which LangChain sends and the reference lacks.
 */
export type OpenAIChatRules = { noSystemInARow?: boolean; namedAnswers?: boolean };

type Message = {
  role: string;
  content?: unknown;
  tool_calls?: { id: string }[];
  tool_call_id?: string;
  function_call?: unknown;
  refusal?: unknown;
  audio?: unknown;
};
type Tool = { type: string; function?: { name: string }; custom?: { name: string } };
type Request = {
  messages: Message[];
  tools?: Tool[];
  tool_choice?: string | Tool;
  parallel_tool_calls?: boolean;
  stream?: boolean | null;
  stream_options?: object | null;
  logprobs?: boolean | null;
  top_logprobs?: number | null;
  max_tokens?: number | null;
  max_completion_tokens?: number | null;
};

export function checkOpenAIChat(given: unknown, rules: OpenAIChatRules = {}): string[] {
  const body = rules.namedAnswers ? withoutNames(given) : given;
  const problems = problemsOf(body, chatRequest, openaiWords);
  // The rules below read a request of the right shape; the provider, too, stops here.
  if (problems.length > 0) return problems;
  const request = body as Request;
  return [
    ...request.messages.flatMap(contentViolations),
    ...toolViolations(request.messages),
    ...((rules.noSystemInARow ?? true) ? systemViolations(request.messages) : []),
    ...toolSettingViolations(request),
    ...settingViolations(request),
  ];
}

function withoutNames(body: unknown): unknown {
  const { messages } = (body ?? {}) as { messages?: unknown };
  if (!Array.isArray(messages)) return body;
  const bare = messages.map(({ name, ...message }) =>
    message.role === "tool" || name === undefined ? message : { ...message, name },
  );
  return { ...(body as object), messages: bare };
}

function contentViolations(message: Message, index: number): string[] {
  const { role, content, tool_calls, function_call, refusal, audio } = message;
  if (role !== "assistant" || (content ?? tool_calls ?? function_call ?? refusal ?? audio ?? null) !== null)
    return [];
  return content === null
    ? [`Invalid value for 'messages[${index}].content': expected a string, got null.`]
    : [`Missing required parameter: 'messages[${index}].content'.`];
}

function toolViolations(messages: readonly Message[]): string[] {
  const found: string[] = [];
  let caller = -1;
  let called: string[] = [];
  let open = new Set<string>();
  const leave = () => {
    if (open.size > 0) {
      found.push(
        `Invalid parameter: 'messages[${caller}]': An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
      );
    }
  };
  for (const [index, { role, tool_calls, tool_call_id: id = "" }] of messages.entries()) {
    if (role !== "tool") {
      leave();
      caller = index;
      called = tool_calls?.map((call) => call.id) ?? [];
      open = new Set(called);
      const twice = called.find((value, at) => called.indexOf(value) < at);
      if (twice) found.push(`Duplicate value for 'tool_call_id' of ${twice} in 'messages[${index}]'.`);
    } else if (called.length === 0) {
      found.push(
        `Invalid parameter: 'messages[${index}].role': messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`,
      );
    } else if (!called.includes(id)) {
      found.push(
        `Invalid parameter: 'messages[${index}]': 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
      );
    } else if (!open.delete(id))
      found.push(`Duplicate value for 'tool_call_id' of ${id} in 'messages[${index}]'.`);
  }
  leave();
  return found;
}

/** Servers without the role `developer` read it as `system`, so both count. */
function systemViolations(messages: readonly Message[]): string[] {
  const system = messages.map(({ role }) => role === "system" || role === "developer");
  return system.flatMap((is, index) =>
    is && system[index - 1] ? [`Invalid 'messages[${index}]': no two system messages in a row.`] : [],
  );
}

function toolSettingViolations({ tools = [], tool_choice: choice, parallel_tool_calls }: Request): string[] {
  const found: string[] = [];
  const only = "is only allowed when 'tools' are specified.";
  if (choice !== undefined && tools.length === 0)
    found.push(`Invalid value for 'tool_choice': 'tool_choice' ${only}`);
  if (parallel_tool_calls !== undefined && tools.length === 0) {
    found.push(`Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' ${only}`);
  }
  const names = tools.map(nameOf);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice) found.push(`Invalid 'tools': duplicate function name '${twice}'.`);
  const chosen = typeof choice === "object" ? nameOf(choice) : undefined;
  if (chosen && tools.length > 0 && !names.includes(chosen)) {
    found.push(`Invalid value for 'tool_choice': '${chosen}' not found in 'tools'.`);
  }
  return found;
}

function settingViolations(request: Request): string[] {
  const found: string[] = [];
  if (request.stream_options && !request.stream) {
    found.push("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  }
  if (typeof request.top_logprobs === "number" && !request.logprobs) {
    found.push("The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.");
  }
  if (typeof request.max_tokens === "number" && typeof request.max_completion_tokens === "number") {
    found.push("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.");
  }
  return found;
}

function nameOf(tool: Tool): string | undefined {
  return tool.function?.name ?? tool.custom?.name;
}
