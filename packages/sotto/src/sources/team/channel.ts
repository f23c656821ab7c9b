// A chat on disk: one message a line, only ever added to. What is no message is passed over, and told.

import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { errorText } from "../../platform/errors.ts";

export interface ChatMessage {
  from: string;
  text: string;
  /** ISO 8601. */
  timestamp: string;
}

export interface Placed {
  message: ChatMessage;
  /** Where its line ends, in bytes. */
  end: number;
}

export interface ChatPart {
  messages: Placed[];
  /** Why lines were passed over. */
  wrong: string[];
  /** How far it was read; a line that is still being written is not. */
  end: number;
  more: boolean;
}

export const LONGEST_TEXT = 20_000;
const LONGEST_NAME = 200;
// A line of that length is no message; a longer file is read in parts.
const PART_BYTES = 1024 * 1024;
const NEW_LINE = 0x0a;
const READING = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const ADDING =
  constants.O_RDWR |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Resolves when the message is safe. One write, at the end: messages of two writers do not mix. */
export async function append(directory: string, chat: string, message: ChatMessage): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = await open(channelFile(directory, chat), ADDING, 0o600);
  try {
    const size = await sizeOf(file);
    // A writer that was killed may have left half a line.
    const [last = NEW_LINE] = size === 0 ? [] : ((await read(file, size - 1, 1)) as Iterable<number>);
    await file.write(`${last === NEW_LINE ? "" : "\n"}${JSON.stringify(message)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** One that has become shorter is another one: it is read from its start. */
export async function readFrom(directory: string, chat: string, from: number): Promise<ChatPart> {
  const file = await open(channelFile(directory, chat), READING);
  try {
    const size = await sizeOf(file);
    const start = from > size ? 0 : from;
    const bytes = await read(file, start, Math.min(PART_BYTES, size - start));
    return { ...partOf(bytes, start), more: start + bytes.length < size };
  } finally {
    await file.close();
  }
}

export function channelFile(directory: string, chat: string): string {
  return `${directory}/${chat}.jsonl`;
}

function partOf(bytes: Buffer, start: number): Omit<ChatPart, "more"> {
  const part: Omit<ChatPart, "more"> = { messages: [], wrong: [], end: start };
  let at = 0;
  for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, at)) {
    const line = bytes.subarray(at, end);
    at = end + 1;
    try {
      if (line.length > 0) part.messages.push({ message: messageIn(line), end: start + at });
    } catch (error) {
      part.wrong.push(`a line at byte ${start + end - line.length}: ${errorText(error)}`);
    }
  }
  if (at === 0 && bytes.length === PART_BYTES) {
    at = bytes.length;
    part.wrong.push(`a line at byte ${start}: it has more than ${PART_BYTES} bytes`);
  }
  return { ...part, end: start + at };
}

function messageIn(line: Buffer): ChatMessage {
  const value: unknown = JSON.parse(decode(line));
  if (typeof value !== "object" || value === null) throw new Error("it is not an object");
  const { from, text, timestamp } = value as Record<string, unknown>;
  if (typeof from !== "string" || from.trim() === "" || from.length > LONGEST_NAME)
    throw new Error(`from: expected a name of up to ${LONGEST_NAME} characters`);
  if (typeof text !== "string" || text.length > LONGEST_TEXT)
    throw new Error(`text: expected a text of up to ${LONGEST_TEXT} characters`);
  return { from, text, timestamp: typeof timestamp === "string" ? timestamp.slice(0, 40) : "" };
}

function decode(line: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(line);
  } catch {
    throw new Error("it is not text in UTF-8");
  }
}

async function sizeOf(file: FileHandle): Promise<number> {
  const stats = await file.stat();
  if (!stats.isFile()) throw new Error("it is not a regular file");
  return stats.size;
}

async function read(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, start);
  return buffer.subarray(0, bytesRead);
}
