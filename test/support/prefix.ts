// What a provider's prompt cache sees of a request, so that tests can tell whether one request continues another.

export type MeasuredDialect = "anthropic-messages" | "openai-chat";

type Json = Record<string, unknown>;
type Body = { system?: unknown; tools?: unknown; messages?: unknown };

/** The whole prompt up to the end of its last message: a request that continues another starts with all of it. */
export function prefixOf(dialect: MeasuredDialect, body: unknown): string {
  const { system, tools, messages } = measured(dialect, body);
  return [JSON.stringify({ system, tools }), ...messages.map((message) => JSON.stringify(message))].join(
    "\n",
  );
}

/** The prompt block by block, each with what its message says besides: who speaks, and of which call. */
export function blocksOf(dialect: MeasuredDialect, body: unknown): string[] {
  const { system, tools, messages } = measured(dialect, body);
  return [
    ...system.map((block) => `system ${JSON.stringify(block)}`),
    ...tools.map((tool) => `tool definition ${JSON.stringify(tool)}`),
    ...messages.flatMap(({ content, tool_calls, ...speaker }) =>
      [...asList(content), ...asList(tool_calls)].map(
        (block) => `${JSON.stringify(speaker)} ${JSON.stringify(block)}`,
      ),
    ),
  ];
}

function measured(dialect: MeasuredDialect, body: unknown) {
  const { system, tools, messages } = body as Body;
  return {
    system: dialect === "anthropic-messages" ? blocks(system) : [],
    tools: asList(tools).map(withoutMarks),
    messages: asList(messages).map((message) => ({
      ...message,
      content: inMessage(message.content),
    })) as Json[],
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
