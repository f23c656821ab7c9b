// Writes a conversation as the items of the OpenAI Agents SDK, and back as the Responses request the SDK makes of it.

import type { OpenAIAgentsBody } from "../../packages/sotto/src/dialects/openai-agents.ts";
import type { Conversation, Telling } from "./histories.ts";
import { type Item, openaiResponsesBody, type Part } from "./openai-responses-history.ts";
import { checkOpenAIResponses } from "./servers/openai-responses-rules.ts";

export function openaiAgentsBody(conversation: Conversation, telling: Telling = {}): OpenAIAgentsBody {
  const { input } = openaiResponsesBody(conversation, telling);
  return { input: input.map(toAgents) };
}

/** What the SDK's own shape forbids, and what the provider would refuse of what becomes of it. */
export function checkOpenAIAgents({ input }: OpenAIAgentsBody): string[] {
  const roles = ["system", "user", "assistant", undefined];
  const strange = (input as Item[]).flatMap(({ role }, index) =>
    roles.includes(role) ? [] : [`input.${index}.role: ${role}`],
  );
  const { input: _, ...rest } = openaiResponsesBody(nothing);
  return [...strange, ...checkOpenAIResponses({ ...rest, input: (input as Item[]).map(toResponses) })];
}

const nothing: Conversation = {
  system: undefined,
  thinking: false,
  steps: [],
  prefill: undefined,
  breakpoints: [],
};

function toAgents(item: Item): Item {
  const { type, role, call_id: callId, encrypted_content: encrypted, id, ...rest } = item;
  if (type === "function_call_output") {
    const output = agentsOutput(rest.output);
    return { type: "function_call_result", callId, name: "look", status: "completed", output };
  }
  if (type === "function_call") return { type, callId, ...rest, status: "completed" };
  if (type === "reasoning") return { type, id, content: [], providerData: { encrypted_content: encrypted } };
  if (type === "web_search_call") return { type: "hosted_tool_call", name: type, id, status: "completed" };
  if (role === "developer") return { type: "message", role: "system", content: plain(rest.content) };
  if (role !== "assistant") return { ...item, content: listed(rest.content, agentsPart) };
  const content =
    typeof rest.content === "string" ? [{ type: "output_text", text: rest.content }] : undefined;
  return { type: "message", role, status: "completed", content: content ?? listed(rest.content, outputPart) };
}

function agentsOutput(output: unknown): unknown {
  return typeof output === "string" ? { type: "text", text: output } : listed(output, agentsPart);
}

function agentsPart({ image_url: image, prompt_cache_breakpoint: mark, ...part }: Part): Part {
  return {
    ...part,
    ...(image === undefined ? {} : { image }),
    ...(mark === undefined ? {} : { promptCacheBreakpoint: mark }),
  };
}

function outputPart({ type, text }: Part): Part {
  return { type, text, providerData: { annotations: [] } };
}

function toResponses(item: Item): Item {
  const { type, role, callId, providerData, name, status: _, ...rest } = item;
  const call = { call_id: callId };
  if (type === "function_call_result")
    return {
      type: "function_call_output",
      ...call,
      output: listed(responsesOutput(rest.output), responsesPart),
    };
  if (type === "function_call") return { type, ...call, name, arguments: rest.arguments };
  if (type === "reasoning") return { type, id: rest.id, summary: [], ...(providerData as object) };
  if (type === "hosted_tool_call") return { type: String(name), id: rest.id, status: "completed" };
  return { role: role as string, content: listed(rest.content, responsesPart) };
}

function responsesOutput(output: unknown): unknown {
  const { type, text } = (output ?? {}) as Part;
  return type === "text" ? text : output;
}

function responsesPart({ image, promptCacheBreakpoint: mark, providerData, ...part }: Part): Part {
  return {
    ...part,
    ...(providerData as object),
    ...(image === undefined ? {} : { image_url: image, detail: "auto" }),
    ...(mark === undefined ? {} : { prompt_cache_breakpoint: mark }),
  };
}

function listed(content: unknown, write: (part: Part) => Part): unknown {
  return Array.isArray(content) ? content.map(write) : content;
}

function plain(content: unknown): unknown {
  return Array.isArray(content) ? content.map(({ text }) => text).join("\n") : content;
}
