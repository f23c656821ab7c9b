// The conversation on disk: one JSON line per entry, appended as it happens, read back to resume a session.

import { appendFile, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ModelMessage, ToolCallPart, ToolModelMessage } from "ai";
import { makeDirectory } from "sotto/internal";
import { readBeginning, readEndSync, readRegular } from "../regular-file.ts";

/** A change of the message list, or the mark of a model call. */
export type TranscriptEntry =
  | { type: "session"; id: string; cwd: string; model: string; at: string }
  | { type: "message"; message: ModelMessage }
  | { type: "turn"; turn: number }
  /** A prompt typed while the agent works, and that it was sent or recorded: what was not is queued again. */
  | { type: "queued"; prompt: QueuedPrompt }
  | { type: "taken"; id: string }
  /** These messages replace all earlier ones: after compaction, clearing or a rewind. */
  | {
      type: "replaced";
      why: "compacted" | "results_cleared" | "rewound" | "cleared";
      messages: ModelMessage[];
    };

export interface QueuedPrompt {
  id: string;
  text: string;
}

export interface Transcript {
  append(...entries: TranscriptEntry[]): Promise<void>;
}

export interface Conversation {
  id: string;
  cwd: string;
  model: string;
  /** What the user asked first; stays when the messages are replaced. */
  firstPrompt?: string;
  messages: ModelMessage[];
  /** For each turn still in the conversation: the number of messages before its answer. */
  turns: Map<number, number>;
  /** Prompts that were queued and not taken. */
  waiting: QueuedPrompt[];
}

// The most that fits into one string.
const MOST_BYTES = 256 * 1024 * 1024;
const LONGEST_FIRST_LINE = 64 * 1024;

export const noTranscript: Transcript = { append: async () => undefined };

export async function openTranscript(path: string): Promise<Transcript> {
  await makeDirectory(dirname(path));
  // What is added to a line that was only half written is lost with it.
  let writing: Promise<void> = isInsideLine(path) ? appendFile(path, "\n") : Promise.resolve();
  return {
    append(...entries) {
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      writing = writing.then(() => appendFile(path, lines, { mode: 0o600 }));
      return writing;
    },
  };
}

function isInsideLine(path: string): boolean {
  try {
    return !["", "\n"].includes(readEndSync(path, 1).toString("latin1"));
  } catch {
    return false;
  }
}

export function transcriptPath(directory: string, id: string): string {
  return join(directory, `${id.replace(/[^\w.-]+/gu, "-")}.jsonl`);
}

/** The transcript's path, or undefined when nothing is kept. */
export function transcriptFile(
  { stateDirectory }: { stateDirectory?: string | undefined },
  id: string,
): string | undefined {
  return stateDirectory === undefined ? undefined : transcriptPath(conversationsIn(stateDirectory), id);
}

export function conversationsIn(stateDirectory: string): string {
  return join(stateDirectory, "conversations");
}

/**
 * Returns undefined when there is no transcript. Wherever the writing ended, the messages can be sent: a line that was
 * only half written is skipped, and each tool call has a result. It is the same one at every reading, as it was sent.
 */
export async function readConversation(path: string): Promise<Conversation | undefined> {
  const text = await readRegular(path, MOST_BYTES).catch(() => undefined);
  if (text === undefined) return undefined;
  const conversation: Conversation = {
    id: "",
    cwd: "",
    model: "",
    messages: [],
    turns: new Map(),
    waiting: [],
  };
  for (const entry of text.split("\n").flatMap(parseLine)) apply(conversation, entry);
  addMissingResults(conversation.messages);
  return conversation.id === "" ? undefined : conversation;
}

/** The latest conversation held in `cwd`, other than those of team mates. */
export async function latestConversation(directory: string, cwd: string): Promise<Conversation | undefined> {
  const names = await readdir(directory).catch(() => []);
  const paths = names.filter((name) => name.endsWith(".jsonl")).map((name) => join(directory, name));
  const found: { path: string; usedMs: number; at: string }[] = [];
  for (const path of paths) {
    const first = (await readBeginning(path, LONGEST_FIRST_LINE).catch(() => ""))
      .split("\n", 1)
      .flatMap(parseLine)[0];
    if (first?.type === "session" && first.cwd === cwd && !first.id.includes("/"))
      found.push({ path, usedMs: (await stat(path)).mtimeMs, at: first.at });
  }
  // Times of files may be no finer than some milliseconds.
  const latest = found.sort((a, b) => b.usedMs - a.usedMs || (a.at < b.at ? 1 : -1))[0];
  return latest === undefined ? undefined : readConversation(latest.path);
}

function apply(conversation: Conversation, entry: TranscriptEntry): void {
  if (entry.type === "session") {
    const { id, cwd, model } = entry;
    Object.assign(conversation, { id, cwd, model });
  } else if (entry.type === "message") {
    notePrompt(conversation, entry.message);
    addMessage(conversation.messages, entry.message);
  } else if (entry.type === "turn") conversation.turns.set(entry.turn, conversation.messages.length);
  else if (entry.type === "queued") conversation.waiting.push(entry.prompt);
  else if (entry.type === "taken")
    conversation.waiting = conversation.waiting.filter(({ id }) => id !== entry.id);
  else {
    // A fork starts with the messages of its parent.
    conversation.messages = [];
    for (const message of entry.messages) {
      notePrompt(conversation, message);
      addMessage(conversation.messages, message);
    }
    if (entry.why !== "rewound") conversation.turns.clear();
    for (const [turn, count] of conversation.turns)
      if (count > conversation.messages.length) conversation.turns.delete(turn);
  }
}

function notePrompt(conversation: Conversation, { role, content }: ModelMessage): void {
  if (role === "user" && typeof content === "string") conversation.firstPrompt ??= content;
}

function parseLine(line: string): TranscriptEntry[] {
  if (line.trim() === "") return [];
  try {
    return [JSON.parse(line) as TranscriptEntry];
  } catch {
    return [];
  }
}

// The call may have been carried out, or partly: only its result is missing.
const CUT_OFF =
  "The session ended before the answer was kept: look whether this was done before you do it again.";

/** The number of messages up to the end of a turn: its answer and the results of its tool calls. */
export function endOfTurn(messages: readonly ModelMessage[], answer: number): number {
  const end = messages.findIndex((message, index) => index > answer && message.role !== "tool");
  return end < 0 ? messages.length : end;
}

/** Adds a message where a provider accepts it: calls left open before it get results, results without a call are dropped. */
function addMessage(messages: ModelMessage[], message: ModelMessage): void {
  if (message.role !== "tool") {
    addMissingResults(messages);
    messages.push(message);
    return;
  }
  const open = new Set(openCalls(messages).map(({ toolCallId }) => toolCallId));
  const content = message.content.filter(
    (part) => part.type !== "tool-result" || open.delete(part.toolCallId),
  );
  if (content.length > 0) addResults(messages, content);
}

/** The results of one answer's calls are one message, though each is written down when it comes. */
export function addResults(messages: ModelMessage[], content: ToolModelMessage["content"]): void {
  const last = messages.at(-1);
  if (last?.role === "tool")
    messages[messages.length - 1] = { ...last, content: [...last.content, ...content] };
  else messages.push({ role: "tool", content });
}

/** Adds a result for each of the last calls that has none: whatever cut the conversation off, it can go on. */
export function addMissingResults(messages: ModelMessage[]): void {
  const results = openCalls(messages).map(({ toolCallId, toolName }) => ({
    type: "tool-result" as const,
    toolCallId,
    toolName,
    output: { type: "error-text" as const, value: CUT_OFF },
  }));
  if (results.length > 0) addResults(messages, results);
}

/** The calls of the last answer that have no result. Some servers use the same ids in every answer. */
function openCalls(messages: readonly ModelMessage[]): ToolCallPart[] {
  const at = messages.findLastIndex(({ role }) => role !== "tool");
  const asking = messages[at];
  if (asking?.role !== "assistant" || typeof asking.content === "string") return [];
  const answered = new Set(
    messages
      .slice(at + 1)
      .flatMap((message) => (message.role === "tool" ? message.content : []))
      .flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])),
  );
  return asking.content.flatMap((part) =>
    part.type === "tool-call" && !answered.has(part.toolCallId) ? [part] : [],
  );
}
