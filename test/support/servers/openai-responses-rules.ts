// Refuses what the OpenAI Responses API refuses, in words close to its own.
import { idViolations, missingItemViolations } from "./openai-responses-ids.ts";
import { callViolations, reasoningViolations } from "./openai-responses-order.ts";
import { responsesRequest, responsesWords } from "./openai-responses-shape.ts";
import {
  conversationId,
  createResponseStore,
  type Request,
  type ResponseStore,
} from "./openai-responses-store.ts";
import { isObject, problemsOf } from "./shape.ts";

/**
 * `encryptedReasoningAnywhere` (default false): OpenAI itself takes reasoning that brings its encrypted
 * content without what follows it; other servers of its API do not, and no client means to send it so.
 * `codexItems` (default false): OpenAI takes a field in the items of its own client that it documents nowhere; Codex
 * leaves it out where it talks to another provider.
 */
export type OpenAIResponsesRules = {
  encryptedReasoningAnywhere?: boolean;
  codexItems?: boolean;
  /** Ids of conversations that were created before; none unless given. */
  conversations?: readonly string[];
};

export function checkOpenAIResponses(
  body: unknown,
  rules: OpenAIResponsesRules = {},
  store: ResponseStore = createResponseStore(),
): string[] {
  const read = rules.codexItems ? withoutCodexFields(body) : body;
  const problems = problemsOf(read, responsesRequest, responsesWords);
  // The rules below read a request of the right shape; the provider, too, stops here.
  if (problems.length > 0) return problems;
  const request = read as Request;
  const found = [
    ...sourceViolations(request, store, rules.conversations ?? []),
    ...settingViolations(request),
  ];
  const unknown = [...idViolations(request, store), ...missingItemViolations(request, store)];
  // What is not known cannot be in the right place.
  if (found.length > 0 || unknown.length > 0) return [...found, ...unknown];
  return [
    ...callViolations(request, store),
    ...reasoningViolations(request, store, rules.encryptedReasoningAnywhere ?? false),
  ];
}

function withoutCodexFields(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body.input)) return body;
  const input = body.input.map((item: unknown) => {
    if (!isObject(item)) return item;
    const { internal_chat_message_metadata_passthrough: _, ...rest } = item;
    return rest;
  });
  return { ...body, input };
}

/** Where the conversation comes from: the request, an earlier response, or nowhere. */
function sourceViolations(request: Request, store: ResponseStore, known: readonly string[]): string[] {
  const { input = "", previous_response_id: previous, conversation, prompt } = request;
  if (previous && conversation) {
    return [
      "Mutually exclusive parameters. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.",
    ];
  }
  const id = conversationId(request);
  if (id !== undefined) return known.includes(id) ? [] : [`Conversation with id '${id}' not found.`];
  if (previous && !previous.startsWith("resp")) {
    return [`Invalid 'previous_response_id': '${previous}'. Expected an ID that begins with 'resp'.`];
  }
  if (previous && !store.conversation(previous)) {
    return [`Previous response with id '${previous}' not found.`];
  }
  return input.length === 0 && !previous && !prompt
    ? [`One of "input" or "previous_response_id" or 'prompt' or 'conversation_id' must be provided.`]
    : [];
}

function settingViolations(request: Request): string[] {
  const found: string[] = [];
  const { tools = [], tool_choice: choice, stream, stream_options } = request;
  if (stream_options && !stream) {
    found.push("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  }
  const names = tools.flatMap(({ name }) => name ?? []);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice) found.push(`Invalid 'tools': duplicate function name '${twice}'.`);
  if (choice === "required" && tools.length === 0) {
    found.push("Tool choice 'required' must be specified with 'tools' parameter.");
  }
  if (typeof choice === "object" && choice.name !== undefined && !names.includes(choice.name)) {
    found.push(`Tool choice '${choice.name}' not found in 'tools' parameter.`);
  }
  return found;
}
