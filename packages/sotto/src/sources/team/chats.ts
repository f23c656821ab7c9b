// The chats of the team: counts what this agent has not read, and records it when it changes.

import { constants } from "node:fs";
import { type FileHandle, open, opendir, realpath } from "node:fs/promises";
import type { Collab } from "../../facts/facts.ts";
import { replaceFile } from "../../platform/durable-file.ts";
import { errorText } from "../../platform/errors.ts";
import { makeDirectory } from "../../platform/make-directory.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { FileAccess } from "../files/file-access.ts";
import { createPlanted, PLANTED } from "../files/planted.ts";
import { readSmallFile } from "../files/safe-open.ts";
import { createStandstill } from "../files/standstill.ts";
import type { Source, TurnInfo } from "../source.ts";
import { chatsPath, isTeamName, type MailAddress } from "./mailbox-path.ts";

export interface ChatsOptions {
  address: MailAddress;
  fileAccess: FileAccess;
}

interface Unread {
  handle: string;
  unreadCount: number;
}

interface Count {
  mark: number;
  /** Counted so far. */
  end: number;
  unread: number;
}

const PROBLEMS_KEPT = 20;

export function createChatsSource({ address, fileAccess }: ChatsOptions): Source<"collab"> {
  const { team, agent } = address;
  const { cwd, home } = fileAccess;
  const planted = createPlanted(fileAccess);
  const counts = new Map<string, Count>();
  const problems: { chat: string; reason: string }[] = [];
  const still = createStandstill<{ collab: Collab; unread: readonly Unread[] }>();
  let listed: readonly string[] = [];
  const report = (chat: string, reason: string) => {
    if (problems.some((one) => one.chat === chat && one.reason === reason)) return;
    problems.push({ chat, reason });
    problems.splice(0, problems.length - PROBLEMS_KEPT);
  };

  /** Only reads what is new since the last look. */
  const count = async (directory: string, chat: string, signal: AbortSignal): Promise<Count> => {
    const mark = await markOf({ directory, agent }, chat);
    const known = counts.get(chat);
    let now: Count = known?.mark === mark ? known : { mark, end: mark, unread: 0 };
    for (;;) {
      const part = await readFrom(directory, chat, now.end);
      for (const reason of part.wrong) report(chat, reason);
      // Shorter than before: all of it is new.
      const before = part.end < now.end ? 0 : now.unread;
      const added = part.messages.filter(({ message }) => message.from !== agent).length;
      now = { mark, end: part.end, unread: before + added };
      counts.set(chat, now);
      if (!part.more) return now;
      if (signal.aborted) throw new Error("there was no time to read all of the chats");
    }
  };

  return {
    fact: "collab",
    observe(turn, signal) {
      const root = turn.settings.mailbox_dir;
      if (root === "") return { chats: 0, problems: [] };
      const directory = chatsPath(root, team, { cwd, home });
      const known = still.answer(pathsOf(directory, listed));
      const isTold =
        known !== undefined && (listed.length === 0 || isSame(known.unread, turn.facts.chats.unread));
      return isTold ? known.collab : look(directory, turn, signal);
    },
    problems: () => planted.problems(),
  };

  /** Everything that a look depends on. */
  function pathsOf(directory: string, names: readonly string[]): string[] {
    const marks = `${directory}/.read/${agent}`;
    return [directory, marks, ...names.flatMap((chat) => [channelFile(directory, chat), `${marks}/${chat}`])];
  }

  async function look(
    directory: string,
    { settings: { mailbox_dir: root }, facts, record }: TurnInfo,
    signal: AbortSignal,
  ): Promise<Collab> {
    const isInProject = !root.startsWith("~") && absolutePath(root, "/a") !== absolutePath(root, "/b");
    const seen = await still.before(pathsOf(directory, listed));
    const names = await listChats(directory, isInProject ? cwd : "/");
    let isSure = names.join() === listed.join();
    const unread: Unread[] = [];
    const read = new Set<string>();
    const ofProject = await planted.among(names.map((chat) => channelFile(directory, chat)));
    for (const chat of names) {
      const before = counts.get(chat);
      try {
        if (ofProject.has(channelFile(directory, chat))) throw new Error(PLANTED);
        const now = await count(directory, chat, signal);
        if (before !== undefined && before.mark !== now.mark) read.add(chat);
        if (now.unread > 0) unread.push({ handle: chat, unreadCount: now.unread });
      } catch (error) {
        if (signal.aborted) throw error;
        isSure = false;
        report(chat, errorText(error));
      }
    }
    // The same number, but other messages: those that were read are removed first.
    const others = unread.filter(({ handle }) => !read.has(handle));
    const isNews = !isSame(unread, facts.chats.unread);
    if (names.length > 0 && (isNews || others.length < unread.length))
      await record([
        ...(others.length < unread.length ? [{ type: "chats_changed" as const, chats: others }] : []),
        { type: "chats_changed", chats: unread },
      ]);
    const collab = { chats: names.length, problems: [...problems] };
    listed = names;
    if (isSure) still.keep(seen, { collab, unread });
    return collab;
  }
}

function isSame(one: readonly Unread[], other: readonly Unread[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

// A chat on disk: one message per line, append-only. Invalid lines are skipped and reported.

/** A message in a chat. */
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
  /** Why lines were skipped. */
  wrong: string[];
  /** How far it was read; without a line that is still being written. */
  end: number;
  more: boolean;
}

export const LONGEST_TEXT = 20_000;
const LONGEST_NAME = 200;
// A line of that length is not a message; a longer file is read in parts.
const PART_BYTES = 1024 * 1024;
const NEW_LINE = 0x0a;
const READING = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const ADDING =
  constants.O_RDWR |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Resolves when the message is durable. A single appending write, so that messages of two writers do not mix. */
export async function append(directory: string, chat: string, message: ChatMessage): Promise<void> {
  await makeDirectory(directory);
  const file = await open(channelFile(directory, chat), ADDING, 0o600);
  try {
    const size = await sizeOf(file);
    // A killed writer may have left half a line.
    const [last = NEW_LINE] = size === 0 ? [] : ((await read(file, size - 1, 1)) as Iterable<number>);
    await file.write(`${last === NEW_LINE ? "" : "\n"}${JSON.stringify(message)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file that has become shorter is a new one: it is read from its start. */
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
    throw new Error("it is not UTF-8 text");
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

// The chats of a team, by their files.

const MOST_CHATS = 200;
const ENDING = ".jsonl";

/** Empty if there are none yet. Rejects if the directory leads elsewhere. */
export async function listChats(directory: string, within: string): Promise<string[]> {
  const names: string[] = [];
  try {
    const [real, root] = await Promise.all([realpath(directory), realpath(within)]);
    if (!real.endsWith("/.chats") || !(root === "/" || real.startsWith(`${root}/`)))
      throw new Error(`${directory} leads elsewhere and is not read`);
    for await (const { name } of await opendir(real)) {
      const chat = name.slice(0, -ENDING.length);
      if (name.endsWith(ENDING) && isTeamName(chat)) names.push(chat);
      if (names.length >= MOST_CHATS) break;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return names.sort();
}

// How far an agent has read a chat, in bytes: one file for each, written atomically.

export interface Reader {
  directory: string;
  agent: string;
}

/** An unreadable mark counts as none: sending a message twice is better than losing it. */
export async function markOf({ directory, agent }: Reader, chat: string): Promise<number> {
  const file = await readSmallFile(`${directory}/.read/${agent}/${chat}`);
  return file.kind === "text" && /^\d{1,15}\n$/u.test(file.text) ? Number(file.text) : 0;
}

export async function setMark({ directory, agent }: Reader, chat: string, mark: number): Promise<void> {
  const marks = `${directory}/.read/${agent}`;
  await makeDirectory(marks);
  await replaceFile(`${marks}/${chat}`, `${mark}\n`);
}
