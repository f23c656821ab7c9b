// What a provider's prompt cache sees of a request, so that tests can tell whether one request continues another.

export type MeasuredDialect = "anthropic-messages" | "openai-chat";
/** Also the two that hosts speak only through an SDK. */
export type MeasuredWire = MeasuredDialect | "openai-responses" | "gemini";

type Json = Record<string, unknown>;
type Body = { system?: unknown; tools?: unknown; messages?: unknown };

/** The whole prompt up to the end of its last message: a request that continues another starts with all of it. */
export function prefixOf(wire: MeasuredWire, body: unknown): string {
  const { system, tools, messages } = measured(wire, body);
  return [JSON.stringify({ system, tools }), ...messages.map((message) => JSON.stringify(message))].join(
    "\n",
  );
}

/** The prompt block by block, each with what its message says besides: who speaks, and of which call. */
export function blocksOf(wire: MeasuredWire, body: unknown): string[] {
  const { system, tools, messages } = measured(wire, body);
  return [
    ...system.map((block) => `system ${JSON.stringify(block)}`),
    ...tools.map((tool) => `tool definition ${JSON.stringify(tool)}`),
    ...messages.flatMap(blocksInside),
  ];
}

/** Reasoning has its text inside as well, but it is one block: it comes and goes as a whole. */
function blocksInside(message: Json): string[] {
  const { content, parts, tool_calls, ...speaker } = message;
  if (typeof message.type === "string") return [JSON.stringify(message)];
  return [...asList(content), ...asList(parts), ...asList(tool_calls)].map(
    (block) => `${JSON.stringify(speaker)} ${JSON.stringify(block)}`,
  );
}

function measured(wire: MeasuredWire, body: unknown): { system: Json[]; tools: Json[]; messages: Json[] } {
  if (wire === "openai-responses") return responses(body as Json);
  if (wire === "gemini") return gemini(body as Json);
  const { system, tools, messages } = body as Body;
  return {
    system: wire === "anthropic-messages" ? blocks(system) : [],
    tools: asList(tools).map(withoutMarks),
    messages: asList(messages).map((message) => ({
      ...message,
      content: inMessage(message.content),
    })) as Json[],
  };
}

/** Of a request that goes on from an earlier response only what it adds: the rest is with the server. */
function responses({ instructions, tools, input }: Json) {
  const items = typeof input === "string" ? [{ role: "user", content: input } as Json] : asList(input);
  return {
    system: typeof instructions === "string" ? blocks(instructions) : [],
    tools: asList(tools),
    messages: items.map(responseItem),
  };
}

/** Ids and states are for the server's books; the model is shown neither. */
function responseItem(item: Json): Json {
  const { type = "message", id, status: _, phase: __, ...rest } = item;
  if (type === "item_reference") return { type, id };
  if (type !== "message") return { type, ...rest, ...outputs(rest.output) };
  const kind = rest.role === "assistant" ? "output_text" : "input_text";
  return { ...rest, content: texts(rest.content, kind) };
}

function outputs(output: unknown): Json {
  return output === undefined ? {} : { output: texts(output, "input_text") };
}

function texts(content: unknown, type: string): Json[] {
  return typeof content === "string"
    ? [{ type, text: content }]
    : asList(content).map((part) => {
        const { annotations: _, logprobs: __, ...plain } = withoutMarks(part);
        return plain;
      });
}

function gemini({ systemInstruction, tools, contents }: Json) {
  return {
    system: asList((systemInstruction as Json | undefined)?.parts),
    tools: asList(tools),
    messages: asList(contents).map(({ role = "user", ...content }) => ({ role, ...content })),
  };
}

function inMessage(content: unknown): unknown {
  // A call without words has no content to write as a block.
  return content === null || content === undefined ? content : blocks(content);
}

function blocks(content: unknown): Json[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return asList(content).map((block) => {
    const plain = withoutMarks(block);
    return block.type === "tool_result" && block.content !== undefined
      ? { ...plain, content: blocks(block.content) }
      : plain;
  });
}

/** Breakpoints say where to cache, not what; clients move them from request to request. */
function withoutMarks(block: Json): Json {
  const { cache_control: _, prompt_cache_breakpoint: __, ...rest } = block;
  return rest;
}

function asList(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}
