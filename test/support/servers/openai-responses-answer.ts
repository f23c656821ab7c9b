// How OpenAI Responses answers: responses, the items they consist of, and errors.
import { eventsOf } from "./openai-responses-events.ts";
import { checkOpenAIResponses, type OpenAIResponsesRules } from "./openai-responses-rules.ts";
import {
  conversationId,
  createResponseStore,
  type Item,
  type Request,
  shownTo,
} from "./openai-responses-store.ts";
import type { FullReply, Provider } from "./provider.ts";
import { isObject } from "./shape.ts";

/** With a store of its own: what one server was told, no other knows. */
export function createOpenAIResponses(): Provider<OpenAIResponsesRules> {
  const store = createResponseStore();
  const keep = (reply: FullReply) => {
    if (reply.request.store === false) return;
    const request = reply.request as Request;
    const shown = shownTo(request, store);
    const named = conversationId(request);
    for (const id of [`resp_${reply.id}`, ...(named === undefined ? [] : [named])])
      store.keep(id, shown, outputOf(reply));
  };
  return {
    serves: (pathname) => pathname === "/v1/responses",
    check: (body, rules) => checkOpenAIResponses(body, rules, store),
    refusal: (violation) => (/^(?:Item|Conversation) with id '.*' not found/.test(violation) ? 404 : 400),
    streams: (body) => body.stream === true,
    callId: (count) => `call_${String(count).padStart(4, "0")}`,
    error: errorOf,
    complete: (reply) => {
      keep(reply);
      return completed(reply);
    },
    events: (reply) => {
      keep(reply);
      return eventsOf(headOf(reply, "in_progress"), completed(reply));
    },
  };
}

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "invalid_request_error",
  403: "invalid_request_error",
  404: "invalid_request_error",
  429: "requests",
};

const ERROR_CODES: Record<number, string> = { 401: "invalid_api_key", 429: "rate_limit_exceeded" };

/** Clients go by the code where a response is not known any more, so it is told as the API tells it. */
function errorOf(status: number, message: string) {
  const forgotten = message.startsWith("Previous response with id");
  const named = NAMED_PARAMETER.exec(message)?.[1] ?? "input";
  const refused = status === 400 || status === 404;
  return {
    error: {
      message,
      type: ERROR_TYPES[status] ?? "server_error",
      param: refused ? (forgotten ? "previous_response_id" : named) : null,
      code: forgotten ? "previous_response_not_found" : (ERROR_CODES[status] ?? null),
    },
  };
}

const NAMED_PARAMETER =
  /^(?:(?:Unknown|Missing required) parameter:|Invalid(?: type for| value for)?) '([^']+)'/;

function completed(reply: FullReply) {
  return {
    ...headOf(reply, "completed"),
    completed_at: CREATED + 1,
    output: outputOf(reply),
    usage: usageOf(reply),
  };
}

/** A fixed time keeps recordings of one script the same. */
const CREATED = 1_700_000_000;

function headOf({ id, model, request }: FullReply, status: string) {
  return {
    ...{ id: `resp_${id}`, object: "response", created_at: CREATED, status, background: false },
    ...{ completed_at: null as number | null, error: null, incomplete_details: null },
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    model,
    output: [] as Item[],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: null, summary: null, ...(isObject(request.reasoning) && request.reasoning) },
    ...{ service_tier: "default", store: request.store ?? true, temperature: request.temperature ?? 1 },
    text: { format: { type: "text" }, ...(isObject(request.text) && request.text) },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    ...{ top_p: request.top_p ?? 1, truncation: request.truncation ?? "disabled" },
    usage: null as ReturnType<typeof usageOf> | null,
    ...{ user: null, metadata: request.metadata ?? {} },
  };
}

function outputOf(reply: FullReply): Item[] {
  const { id, text, thinking, toolCalls, request } = reply;
  const status = "completed";
  const phase = toolCalls.length > 0 ? "commentary" : "final_answer";
  const content = [{ type: "output_text", annotations: [], logprobs: [], text }];
  return [
    ...(thinking === "" ? [] : [reasoningOf(`rs_${id}`, thinking, request)]),
    ...(text === "" && toolCalls.length > 0
      ? []
      : [{ id: `msg_${id}`, type: "message", status, content, phase, role: "assistant" }]),
    ...toolCalls.map(({ id: call_id, input, ...tool }, at) => ({
      ...{ id: `fc_${id}_${at}`, type: "function_call", status },
      ...{ arguments: JSON.stringify(input), call_id, ...tool },
    })),
  ];
}

/** Thinking shows as a summary where one was asked for, and in a form to send back where that was. */
function reasoningOf(id: string, thinking: string, { reasoning, include }: Record<string, unknown>): Item {
  const summary = isObject(reasoning) && reasoning.summary ? [{ type: "summary_text", text: thinking }] : [];
  const encrypted = Array.isArray(include) && include.includes("reasoning.encrypted_content");
  const encrypted_content = Buffer.from(`encrypted:${thinking}`).toString("base64");
  return { id, type: "reasoning", ...(encrypted && { encrypted_content }), summary };
}

function usageOf({ usage, thinking }: FullReply) {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: Math.min(usage.output, Math.ceil(thinking.length / 4)) },
    total_tokens: input + usage.output,
  };
}
