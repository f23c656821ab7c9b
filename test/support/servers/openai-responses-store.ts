// What an OpenAI Responses server keeps between requests: responses by id, and the items they consist of.

export type Item = { type?: string; id?: string | null; role?: string; call_id?: string } & Record<
  string,
  unknown
>;

type Tool = { type: string; name?: string };
/** What the rules read of a request. */
export type Request = {
  input?: string | Item[];
  previous_response_id?: string | null;
  conversation?: string | { id: string } | null;
  prompt?: unknown;
  store?: boolean | null;
  tools?: Tool[];
  tool_choice?: string | Tool;
  stream?: boolean | null;
  stream_options?: object | null;
};

type Kept = {
  item: Item;
  /** The id of the reasoning that led to it: without that the API does not take it back. */
  reasoning?: string;
};

export type ResponseStore = {
  /** The whole conversation up to and with a response, or by its own id; nothing where it is unknown. */
  conversation: (id: string) => readonly Item[] | undefined;
  item: (id: string) => Kept | undefined;
  keep: (responseId: string, before: readonly Item[], output: readonly Item[]) => void;
};

export function createResponseStore(): ResponseStore {
  const conversations = new Map<string, readonly Item[]>();
  const items = new Map<string, Kept>();
  return {
    conversation: (responseId) => conversations.get(responseId),
    item: (id) => items.get(id),
    keep(responseId, before, output) {
      conversations.set(responseId, [...before, ...output]);
      let reasoning: string | undefined;
      for (const item of output) {
        if (typeof item.id !== "string") continue;
        items.set(item.id, { item, ...(reasoning !== undefined && { reasoning }) });
        if (item.type === "reasoning") reasoning = item.id;
      }
    },
  };
}

/** A request's input as items, references among them replaced by what they refer to. */
export function itemsOf(input: Request["input"] = [], store: ResponseStore): Item[] {
  if (typeof input === "string") return [{ role: "user", content: [{ type: "input_text", text: input }] }];
  return input.map((item) =>
    item.type === "item_reference" ? (store.item(item.id as string)?.item ?? item) : item,
  );
}

/** All that the model is shown for a request: what came before it, and what it adds. */
export function shownTo(request: Request, store: ResponseStore): Item[] {
  const before = request.previous_response_id ?? conversationId(request);
  return [...((before && store.conversation(before)) || []), ...itemsOf(request.input, store)];
}

export function conversationId({ conversation }: Request): string | undefined {
  return typeof conversation === "string" ? conversation : conversation?.id;
}
