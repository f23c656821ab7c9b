// What providers refuse, as far as putting something into a history can cause it. Written from their documentation.

import type { WireBody, WireMessage, WireName } from "./wires.ts";

/** What is wrong with a request; empty where nothing is. */
export function problemsOf(name: WireName, body: WireBody): string[] {
  const list = (body.messages ?? body.input ?? body.contents) as WireMessage[];
  const spoken = list.filter(({ role }) => role !== "system");
  return [...openCalls(spoken.map((message) => exchangeOf(message))), ...ownRules(name, spoken)];
}

interface Exchange {
  calls: string[];
  results: string[];
  fromModel: boolean;
  /** Results stand behind something else of the same message. */
  late: boolean;
}

/** Results come directly behind their calls: all of them, and nobody speaks in between. */
function openCalls(exchanges: readonly Exchange[]): string[] {
  const problems: string[] = [];
  let open = new Set<string>();
  for (const [at, { calls, results, fromModel, late }] of exchanges.entries()) {
    for (const id of results)
      if (!open.delete(id)) problems.push(`message ${at}: result ${id} has no call before it`);
    if (late) problems.push(`message ${at}: results stand behind other words`);
    if (open.size > 0 && results.length === 0 && !fromModel)
      problems.push(`message ${at}: stands between the calls ${[...open].join()} and their results`);
    if (calls.length > 0) open = new Set([...open, ...calls]);
  }
  if (open.size > 0) problems.push(`at the end: no results for ${[...open].join()}`);
  return problems;
}

function ownRules(name: WireName, list: readonly WireMessage[]): string[] {
  const problems: string[] = [];
  const [first] = list;
  const opensWithModel = first?.role === "assistant" || first?.role === "model";
  if ((name === "anthropic" || name === "gemini") && opensWithModel)
    problems.push("the first message is not the user's");
  for (const [at, message] of list.entries()) {
    const next = list[at + 1];
    if (message.type === "reasoning" && (next === undefined || next.role === "user"))
      problems.push(`message ${at}: reasoning without what it led to`);
    const content = message.content ?? message.parts;
    if (Array.isArray(content) && content.length === 0) problems.push(`message ${at}: empty`);
    if (content === "") problems.push(`message ${at}: empty`);
  }
  return problems;
}

function exchangeOf(message: WireMessage): Exchange {
  const fromModel = ["assistant", "model"].includes(String(message.role)) || isModelItem(message.type);
  const content = message.content ?? message.parts;
  const blocks = (Array.isArray(content) ? content : []) as WireMessage[];
  const marks = blocks.map(markOf);
  const calls = marks.flatMap(({ call }) => call ?? []);
  const results = marks.flatMap(({ result }) => result ?? []);
  const lastResult = marks.findLastIndex(({ result }) => result !== undefined);
  const late = marks.slice(0, lastResult + 1).some(({ result }) => result === undefined);
  for (const call of (message.tool_calls as { id: string }[] | undefined) ?? []) calls.push(call.id);
  if (message.type === "function_call") calls.push(String(message.call_id));
  if (message.type === "function_call_output") results.push(String(message.call_id));
  if (message.role === "tool" && typeof message.tool_call_id === "string") results.push(message.tool_call_id);
  return { calls, results, fromModel, late };
}

const isModelItem = (type: unknown) => type === "function_call" || type === "reasoning";

function markOf(block: WireMessage): { call?: string; result?: string } {
  if (block.type === "tool_use") return { call: String(block.id) };
  if (block.type === "tool_result") return { result: String(block.tool_use_id) };
  if (block.type === "tool-call") return { call: String(block.toolCallId) };
  if (block.type === "tool-result") return { result: String(block.toolCallId) };
  const { functionCall, functionResponse } = block as Record<string, { id?: string } | undefined>;
  if (functionCall) return { call: String(functionCall.id) };
  if (functionResponse) return { result: String(functionResponse.id) };
  return {};
}
