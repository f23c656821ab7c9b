// Anthropic Messages as the rehearsal reads it: only the fields it needs.

export interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

export interface RequestBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: string | readonly Block[];
  readonly tools?: readonly object[];
  readonly messages: readonly Message[];
}

/** A lone string is one text block. */
export function blocksOf(content: Message["content"] | undefined): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}

/** The text of a block, or of a tool's result. */
export function textOf(block: Block): string {
  if (block.type === "text") return String(block.text);
  if (block.type !== "tool_result") return "";
  return blocksOf(block.content as Message["content"] | undefined)
    .map(textOf)
    .join("\n");
}

/** What a provider would refuse: not a request at all, or results that do not stand right behind their calls. */
export function refusal(body: unknown): string | undefined {
  const { messages } = (body ?? {}) as { messages?: unknown };
  if (!Array.isArray(messages) || messages.length === 0) return "messages: expected a list that is not empty";
  const wrong = messages.findIndex((message) => !isMessage(message));
  if (wrong >= 0) return `messages.${wrong}: expected a role and content`;
  return misplacedResult(turnsOf(messages as Message[]));
}

interface Turn {
  role: string;
  blocks: Block[];
}

/** Neighbours of one role are one turn. */
function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocksOf(content));
    else turns.push({ role, blocks: [...blocksOf(content)] });
  }
  return turns;
}

function misplacedResult(turns: readonly Turn[]): string | undefined {
  let open: unknown[] = [];
  for (const { role, blocks } of turns) {
    if (role === "assistant") {
      open = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
      continue;
    }
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => block.tool_use_id);
    const stray = results.find((id) => !open.includes(id));
    if (stray !== undefined) return `tool_result ${stray} has no tool_use in the turn before it`;
    const missing = open.find((id) => !results.includes(id));
    if (missing !== undefined) return `tool_use ${missing} has no tool_result in the turn behind it`;
    if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result"))
      return "tool_result blocks must come first in their turn";
    open = [];
  }
  return undefined;
}

function isMessage(value: unknown): value is Message {
  const { role, content } = (value ?? {}) as Partial<Record<"role" | "content", unknown>>;
  if (typeof role !== "string") return false;
  return typeof content === "string" || (Array.isArray(content) && content.every(isBlock));
}

function isBlock(value: unknown): value is Block {
  return typeof (value as Partial<Block> | null)?.type === "string";
}
