// Reads Anthropic requests: the fields the rehearsal needs, their prefixes, conversations, new input and expectations.

import { anthropicMessages, isReminder, withoutReminders } from "sotto";
import { estimateTokens } from "sotto/internal";
import type { Expectation } from "./scenario.ts";

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

/** A string counts as one text block. */
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

/** Why a provider would refuse the request: it is malformed, or results do not directly follow their calls. */
export function refusal(body: unknown): string | undefined {
  const { messages } = (body ?? {}) as { messages?: unknown };
  if (!Array.isArray(messages) || messages.length === 0) return "messages: expected a non-empty list";
  const wrong = messages.findIndex((message) => !isMessage(message));
  if (wrong >= 0) return `messages.${wrong}: expected a role and content`;
  return misplacedResult(turnsOf(messages as Message[]));
}

interface Turn {
  role: string;
  blocks: Block[];
}

/** Consecutive messages of one role are one turn. */
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
    if (stray !== undefined) return `tool_result ${stray} has no tool_use in the previous turn`;
    const missing = open.find((id) => !results.includes(id));
    if (missing !== undefined) return `tool_use ${missing} has no tool_result in the next turn`;
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

// A request as a prompt cache sees it: tools, system and messages in order, without breakpoints.

/** How a request continues another: unchanged, with blocks added to its last message, or not at all. */
export type Continuation = "kept" | "extended" | "broken";

/**
 * SDKs merge consecutive messages of one role. A request without an answer is then `extended` by what follows: the
 * provider reads the same blocks in the same order, so its cache still applies.
 */
export function continuation(before: RequestBody, after: RequestBody): Continuation {
  if (startsWith(messageLines(after), messageLines(before))) return "kept";
  return startsWith(promptBlocks(after), promptBlocks(before)) ? "extended" : "broken";
}

/** One line per block, each with its role. */
export function promptBlocks({ tools = [], system, messages }: RequestBody): string[] {
  return [
    ...tools.map((tool) => `tool ${JSON.stringify(withoutMarks(tool))}`),
    ...blocksOf(system).map((block) => `system ${JSON.stringify(plain(block))}`),
    ...messages.flatMap(({ role, content }) =>
      blocksOf(content).map((block) => `${role} ${JSON.stringify(plain(block))}`),
    ),
  ];
}

/** The length of the common prefix, in blocks. */
export function commonLength(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((block, index) => block !== other[index]);
  return end < 0 ? one.length : end;
}

// The most that providers charge for an image.
const IMAGE_TOKENS = 1600;
const IMAGE_DATA = /"data":"[A-Za-z0-9+/=]{100,}"/gu;

/** An estimate. */
export function tokensOf(blocks: readonly string[]): number {
  return blocks.reduce((sum, block) => {
    const images = block.match(IMAGE_DATA)?.length ?? 0;
    const text = images === 0 ? block : block.replace(IMAGE_DATA, "");
    return sum + estimateTokens(text) + images * IMAGE_TOKENS;
  }, 0);
}

function messageLines({ tools = [], system, messages }: RequestBody): string[] {
  return [
    JSON.stringify([tools.map(withoutMarks), blocksOf(system).map(plain)]),
    ...messages.map((message) =>
      JSON.stringify({ ...message, content: blocksOf(message.content).map(plain) }),
    ),
  ];
}

function startsWith(after: readonly string[], before: readonly string[]): boolean {
  return commonLength(before, after) === before.length;
}

function plain(block: Block): object {
  const rest = withoutMarks(block);
  if (block.type !== "tool_result" || block.content === undefined) return rest;
  return { ...rest, content: blocksOf(block.content as string | Block[]).map(plain) };
}

/** Cache breakpoints move from request to request and do not change the content. */
function withoutMarks(block: object): object {
  const { cache_control: _, ...rest } = block as { cache_control?: unknown };
  return rest;
}

// Assigns requests to conversations: the agent, its sub-agents, the summariser.

export interface RehearsedConversation {
  /** `main`, `summary`, or a sub-agent by its type, with a number from the second one on. */
  readonly name: string;
  readonly agentType?: string;
  /** The last answered request. */
  answered?: RequestBody;
  answer?: readonly Block[];
  /** Its run is complete. */
  finished: boolean;
}

export interface Conversations {
  of(body: RequestBody): RehearsedConversation;
  /** Stores an answer: requests with its tool calls belong to the same conversation. */
  answered(conversation: RehearsedConversation, body: RequestBody, answer: readonly Block[]): void;
}

const SUBAGENT = /^You are the (.+?) sub-agent\b/u;
const SUMMARISER = /^You summarise\b/u;

export function createConversations(): Conversations {
  const main: RehearsedConversation = { name: "main", finished: false };
  const summary: RehearsedConversation = { name: "summary", finished: false };
  const agents: RehearsedConversation[] = [];
  const started = new Map<RehearsedConversation, string>();
  const byCall = new Map<unknown, RehearsedConversation>();
  /** Sub-agents that were running during a summary: their history may have been replaced. */
  let summedUp = new Set<RehearsedConversation>();

  function agentOf(agentType: string, body: RequestBody): RehearsedConversation {
    const known = knownAgent(agentType, body);
    if (known) return known;
    const number = agents.filter((agent) => agent.agentType === agentType).length + 1;
    const name = number === 1 ? agentType : `${agentType} ${number}`;
    const agent: RehearsedConversation = { name, agentType, finished: false };
    agents.push(agent);
    started.set(agent, startOf(body));
    return agent;
  }

  function knownAgent(agentType: string, body: RequestBody): RehearsedConversation | undefined {
    const call = callsIn(body).findLast((id) => byCall.has(id));
    if (call !== undefined) return byCall.get(call);
    const ofType = agents.filter((agent) => agent.agentType === agentType && !agent.finished);
    const sameStart = ofType.filter((agent) => started.get(agent) === startOf(body));
    // A request without an answer in it is new, or the retry of a failed one.
    if (body.messages.some(({ role }) => role === "assistant")) return sameStart.at(-1) ?? ofType.at(-1);
    return sameStart.find(({ answered }) => !answered) ?? ofType.find((agent) => summedUp.has(agent));
  }

  return {
    of(body) {
      const system = blocksOf(body.system).map(textOf)[0] ?? "";
      if (SUMMARISER.test(system)) return summary;
      const agentType = SUBAGENT.exec(system)?.[1];
      return agentType === undefined ? main : agentOf(agentType, body);
    },
    answered(conversation, body, answer) {
      Object.assign(conversation, { answered: body, answer });
      if (conversation === summary)
        summedUp = new Set(agents.filter(({ answered, finished }) => answered && !finished));
      else summedUp.delete(conversation);
      for (const { type, id } of answer) if (type === "tool_use") byCall.set(id, conversation);
    },
  };
}

/** Whether the agent lost the answer and asks again: apart from reminders, nothing in the request is new. */
export function isRepeated({ answered, answer = [] }: RehearsedConversation, body: RequestBody): boolean {
  if (answered === undefined || answer.length === 0) return false;
  const spoken = (one: RequestBody) =>
    JSON.stringify(promptBlocks(withoutReminders(anthropicMessages, one, { words: false }) as RequestBody));
  return spoken(answered) === spoken(body);
}

function callsIn({ messages }: RequestBody): unknown[] {
  return messages
    .flatMap(({ content }) => blocksOf(content))
    .filter(({ type }) => type === "tool_use")
    .map(({ id }) => id);
}

function startOf({ messages }: RequestBody): string {
  return JSON.stringify(blocksOf(messages[0]?.content)[0]);
}

// What is new in a request, and whether it is what the scenario expects.

export interface NewInput {
  kind: "reminder" | "text" | "result" | "image";
  text: string;
}

/** Returns the type of a reminder by its text. */
export type TypeOf = (reminder: string) => string | undefined;

/** Everything after the prefix shared with the previous request, except the model's own messages. */
export function newInputSince(before: RequestBody | undefined, body: RequestBody): NewInput[] {
  const only = (messages: RequestBody["messages"]) => promptBlocks({ model: "", messages });
  const known = commonLength(only(before?.messages ?? []), only(body.messages));
  return body.messages
    .flatMap(({ role, content }) => blocksOf(content).map((block) => ({ role, block })))
    .slice(known)
    .filter(({ role }) => role !== "assistant")
    .map(({ block }) => ({ kind: kindOf(block), text: textOf(block) }));
}

/** The reminders in a request, in order. */
export function remindersIn({ messages }: RequestBody): string[] {
  return messages
    .filter(({ role }) => role !== "assistant")
    .flatMap(({ content }) => blocksOf(content))
    .filter((block) => kindOf(block) === "reminder")
    .map(textOf);
}

/** Returns what is wrong, or undefined when the expectation is met. */
export function unmetExpectation(
  { kind, wanted, isPattern }: Expectation,
  heard: readonly NewInput[],
  typeOf: TypeOf | undefined,
): string | undefined {
  if (kind === "told" || kind === "not_told") {
    const matches = isPattern
      ? (text: string) => new RegExp(wanted, "su").test(text)
      : (text: string) => text.includes(wanted);
    const told = heard.some(({ text }) => matches(text));
    if (told === (kind === "told")) return undefined;
    const what = isPattern ? `a match of /${wanted}/` : JSON.stringify(wanted);
    return `expected ${told ? "no" : "a"} new text with ${what}; ${inShort(heard, typeOf)}`;
  }
  if (typeOf === undefined) return "this host does not report the types of its reminders";
  const said = heard.some(({ kind: is, text }) => is === "reminder" && typeOf(text) === wanted);
  if (said === (kind === "reminder")) return undefined;
  return `expected ${said ? "no reminder" : "the reminder"} ${wanted}; ${inShort(heard, typeOf)}`;
}

const SHOWN = 6;
const SHOWN_LENGTH = 72;

function inShort(heard: readonly NewInput[], typeOf: TypeOf | undefined): string {
  if (heard.length === 0) return "nothing in the request is new";
  const shown = heard.slice(0, SHOWN).map(({ kind, text }) => {
    const type = kind === "reminder" ? typeOf?.(text) : undefined;
    const line = text
      .replace(/^<[^>]*>/u, "")
      .replace(/\s+/gu, " ")
      .trim();
    const cut = line.length > SHOWN_LENGTH ? `${line.slice(0, SHOWN_LENGTH)}…` : line;
    return `${type ?? kind} ${JSON.stringify(cut)}`;
  });
  const more = heard.length > SHOWN ? ` and ${heard.length - SHOWN} more` : "";
  return `new in the request: ${shown.join(", ")}${more}`;
}

function kindOf(block: Block): NewInput["kind"] {
  if (block.type === "tool_result") return "result";
  if (block.type !== "text") return "image";
  return isReminder(anthropicMessages, { role: "user", content: [block] }) ? "reminder" : "text";
}
