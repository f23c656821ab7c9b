// Rules about ids in an OpenAI Responses request: how they look, that they are known, and that none comes twice.
import type { Item, Request, ResponseStore } from "./openai-responses-store.ts";

const PREFIXES: Record<string, string> = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fc",
  custom_tool_call: "ctc",
  reasoning: "rs",
};

export function idViolations(
  { input, previous_response_id: previous }: Request,
  store: ResponseStore,
): string[] {
  const before = previous ? (store.conversation(previous) ?? []) : [];
  const seen = new Set(before.flatMap(({ id }) => id ?? []));
  return listOf(input).flatMap((item, index) => {
    const { type = "message", id } = item;
    if (id === undefined || id === null) return [];
    const where = `Invalid 'input[${index}].id': '${id}'. Expected an ID that`;
    if (!/^[a-zA-Z0-9_-]+$/.test(id)) {
      return [
        `${where} contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
      ];
    }
    const prefix = PREFIXES[type];
    if (prefix && !id.startsWith(prefix)) return [`${where} begins with '${prefix}'.`];
    if (seen.has(id)) {
      return [`Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`];
    }
    seen.add(id);
    return [];
  });
}

/** What is sent by its id alone must be here, and so must reasoning that does not bring its content. */
export function missingItemViolations({ input, store: kept }: Request, store: ResponseStore): string[] {
  const hint =
    kept === false
      ? " Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."
      : "";
  return listOf(input).flatMap((item) => {
    const { type, id, encrypted_content } = item;
    const byId = type === "item_reference" || (type === "reasoning" && !encrypted_content);
    return byId && id && !store.item(id) ? [`Item with id '${id}' not found.${hint}`] : [];
  });
}

function listOf(input: Request["input"]): Item[] {
  return typeof input === "object" ? input : [];
}
