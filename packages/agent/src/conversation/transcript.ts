// The conversation on disk: one JSON line per entry, appended as it happens, read back to resume a session.

import { appendFile, mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ModelMessage } from "ai";
import { readBeginning, readRegular } from "../regular-file.ts";

/** A change of the message list, or the mark of a model call. */
export type TranscriptEntry =
  | { type: "session"; id: string; cwd: string; model: string; at: string }
  | { type: "message"; message: ModelMessage }
  | { type: "turn"; turn: number }
  /** These messages replace all earlier ones: after compaction, clearing or a rewind. */
  | {
      type: "replaced";
      why: "compacted" | "results_cleared" | "rewound" | "cleared";
      messages: ModelMessage[];
    };

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
}

// The most that fits into one string.
const MOST_BYTES = 256 * 1024 * 1024;
const LONGEST_FIRST_LINE = 64 * 1024;

export const noTranscript: Transcript = { append: async () => undefined };

export async function openTranscript(path: string): Promise<Transcript> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let writing: Promise<void> = Promise.resolve();
  return {
    append(...entries) {
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      writing = writing.then(() => appendFile(path, lines, { mode: 0o600 }));
      return writing;
    },
  };
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

/** Returns undefined when there is no transcript. Skips a line that was only half written. */
export async function readConversation(path: string): Promise<Conversation | undefined> {
  const text = await readRegular(path, MOST_BYTES).catch(() => undefined);
  if (text === undefined) return undefined;
  const conversation: Conversation = { id: "", cwd: "", model: "", messages: [], turns: new Map() };
  for (const entry of text.split("\n").flatMap(parseLine)) apply(conversation, entry);
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
    conversation.messages.push(entry.message);
  } else if (entry.type === "turn") conversation.turns.set(entry.turn, conversation.messages.length);
  else {
    // A fork starts with the messages of its parent.
    for (const message of entry.messages) notePrompt(conversation, message);
    conversation.messages = entry.messages;
    if (entry.why !== "rewound") conversation.turns.clear();
    for (const [turn, count] of conversation.turns)
      if (count > entry.messages.length) conversation.turns.delete(turn);
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

/** Adds a result for each tool call that a stop in the middle of a turn left without one. */
export function withMissingResults(messages: readonly ModelMessage[]): ModelMessage[] {
  const last = messages.at(-1);
  const answered = last?.role === "tool" ? last : undefined;
  const asking = answered === undefined ? last : messages.at(-2);
  if (asking?.role !== "assistant" || typeof asking.content === "string") return [...messages];
  const known = new Set(
    (answered?.content ?? []).flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])),
  );
  const open = asking.content.flatMap((part) =>
    part.type === "tool-call" && !known.has(part.toolCallId) ? [part] : [],
  );
  if (open.length === 0) return [...messages];
  const results = open.map(({ toolCallId, toolName }) => ({
    type: "tool-result" as const,
    toolCallId,
    toolName,
    output: { type: "error-text" as const, value: CUT_OFF },
  }));
  const before = answered === undefined ? messages : messages.slice(0, -1);
  return [...before, { role: "tool", content: [...(answered?.content ?? []), ...results] }];
}
