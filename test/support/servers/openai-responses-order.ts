// Rules about the order of items: calls and their outputs, reasoning and what it led to.
import { type Item, itemsOf, type Request, type ResponseStore, shownTo } from "./openai-responses-store.ts";

const CALLS: Record<string, string> = {
  function_call: "function call",
  custom_tool_call: "custom tool call",
};

/** An output may stand anywhere behind its call; the model is not asked while a call is open. */
export function callViolations(request: Request, store: ResponseStore): string[] {
  const found: string[] = [];
  const open = new Map<string, string>();
  const answered = new Set<string>();
  for (const { type = "message", call_id: id = "" } of shownTo(request, store)) {
    const call = CALLS[type];
    const output = CALLS[type.replace(/_output$/, "")];
    if (call && !answered.has(id)) open.set(id, call);
    else if (output && answered.has(id)) {
      found.push(`Duplicate ${type} for call_id '${id}'. Each call must have exactly one matching output.`);
    } else if (output && !open.delete(id)) {
      found.push(`No tool call found for ${output} output with call_id ${id}.`);
    } else if (output) answered.add(id);
  }
  return [...found, ...[...open].map(([id, call]) => `No tool output found for ${call} ${id}.`)];
}

/** Reasoning stands right before what the model made of it, and what it made does not come without it. */
export function reasoningViolations(
  request: Request,
  store: ResponseStore,
  encryptedAnywhere: boolean,
): string[] {
  const shown = shownTo(request, store);
  const ids = new Set(shown.flatMap(({ type, id }) => (type === "reasoning" && id ? [id] : [])));
  const alone = shown.flatMap((item, index) => {
    if (item.type !== "reasoning" || isOutput(shown[index + 1])) return [];
    if (encryptedAnywhere && item.encrypted_content) return [];
    return [
      `Item '${item.id ?? index}' of type 'reasoning' was provided without its required following item.`,
    ];
  });
  const without = itemsOf(request.input, store).flatMap(({ type = "message", id }) => {
    const required = id ? store.item(id)?.reasoning : undefined;
    return required === undefined || ids.has(required)
      ? []
      : [`Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${required}'.`];
  });
  return [...alone, ...without];
}

/** What a model says or does; `…_call` also names the calls of tools that the provider runs. */
function isOutput(item: Item | undefined): boolean {
  if (item === undefined) return false;
  const { type = "message", role } = item;
  return type === "message" ? role === "assistant" : type === "reasoning" || type.endsWith("_call");
}
