// sotto/team: mail and chats between agents, from any process.

import * as v from "valibot";
import { mailAddress, nameInTeam, someOptions } from "./engine/options.ts";
import { checkOptions, shape } from "./platform/check-options.ts";
import { SottoError } from "./platform/errors.ts";
import { userDirectories } from "./platform/user-directories.ts";
import { PLANTED } from "./sources/files/planted.ts";
import type { ChatMessage } from "./sources/team/chats.ts";
import { chatsPath, isInProject, mailboxPath } from "./sources/team/mailbox-path.ts";

export type { ChatMessage } from "./sources/team/chats.ts";
export type { MailAddress } from "./sources/team/mailbox-path.ts";

/** What `sendMessage` takes. */
export interface MessageOptions {
  /** The directory of all mailboxes, as `mailbox_dir` in config. Default: `.sotto/mail`. */
  mailbox?: string;
  /** The project: a relative `mailbox` is resolved against it. */
  cwd: string;
  /** The user's home directory. Default: the system's. */
  home?: string;
  /** The mailbox it goes to. */
  to: { team: string; agent: string };
  /** The sender's name, as the reader sees it. */
  from: string;
  /** The message. */
  text: string;
  /** For sending again when it is unclear whether it arrived: messages with the same id are one message. */
  id?: string;
}

const MAILBOX_DIR = ".sotto/mail";

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const words = shape("a text", isText);
const label = shape("a text of up to 200 characters", (value) => isText(value) && value.length <= 200);
const directory = v.optional(words);
const messageOptions = someOptions(["cwd", "home"], {
  mailbox: directory,
  to: mailAddress,
  from: label,
  text: words,
  id: v.optional(label),
});

/** Sends a message to an agent's mailbox. Resolves when it is safe on disk, and rejects when nothing was sent. */
export async function sendMessage(options: MessageOptions): Promise<{ id: string }> {
  checkOptions("sendMessage", messageOptions, options);
  const { mailbox = MAILBOX_DIR, cwd, to, from, text } = options;
  const { home } = userDirectories(options.home);
  const unique = process.getBuiltinModule("node:crypto").randomUUID();
  const id = options.id ?? unique;
  const { send, leadsOut } = await import("./sources/team/letters.ts");
  const box = mailboxPath(mailbox, to, { cwd, home });
  if (isInProject(mailbox) && (await leadsOut(box, cwd)))
    throw new SottoError("mailbox_failed", `${box} leads out of the project: nothing was sent`);
  await send(box, { id, from, text, timestamp: new Date().toISOString() }, unique);
  return { id };
}

/** Where a chat is. */
export interface ChatAddress {
  /** The directory of all mailboxes, as `mailbox_dir` in config; chats are beside them. Default: `.sotto/mail`. */
  mailbox?: string;
  /** The project: a relative `mailbox` is resolved against it. */
  cwd: string;
  /** The user's home directory. Default: the system's. */
  home?: string;
  /** The team's name. */
  team: string;
  /** The chat's name. A new chat begins with its first message. */
  chat: string;
}

/** What an agent had not read of a chat. */
export interface UnreadChat {
  /** The unread messages, oldest first. */
  messages: readonly ChatMessage[];
  /** Whether there are more: the next call returns them. */
  more: boolean;
  /** Lines that were skipped, and why. */
  problems: readonly string[];
}
const chatFields = { mailbox: directory, team: nameInTeam, chat: nameInTeam };
const MOST_MESSAGES = 100;
const MOST_CHARACTERS = 30_000;

/** Posts a message to a chat. Resolves when it is safe on disk. */
export async function postToChat(options: ChatAddress & { from: string; text: string }): Promise<void> {
  const { chat, from, text } = options ?? {};
  checkOptions(
    "postToChat",
    someOptions(["cwd", "home"], { ...chatFields, from: nameInTeam, text: words }),
    options,
  );
  const { append, LONGEST_TEXT } = await import("./sources/team/chats.ts");
  if (text.length > LONGEST_TEXT)
    throw new SottoError(
      "invalid_options",
      `postToChat: text: expected a text of up to ${LONGEST_TEXT} characters`,
    );
  const directory = directoryOf(options);
  await refusePlanted(options, directory);
  try {
    await append(directory, chat, { from, text, timestamp: new Date().toISOString() });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SottoError(
      "mailbox_failed",
      `the message could not be put into the chat ${chat}: ${why}`,
      error,
    );
  }
}

/** Reads what an agent has not read of a chat yet, and marks it as read. Returns undefined if there is no such chat. */
export async function readChat(options: ChatAddress & { agent: string }): Promise<UnreadChat | undefined> {
  checkOptions("readChat", someOptions(["cwd", "home"], { ...chatFields, agent: nameInTeam }), options);
  const { chat, agent } = options;
  const directory = directoryOf(options);
  const { readFrom } = await import("./sources/team/chats.ts");
  const { markOf, setMark } = await import("./sources/team/chats.ts");
  const reader = { directory, agent };
  const before = await markOf(reader, chat);
  const part = await readFrom(directory, chat, before).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new SottoError("mailbox_failed", `the chat ${chat} cannot be read: ${error.message}`, error);
  });
  if (part === undefined) return undefined;
  await refusePlanted(options, directory);
  let characters = 0;
  const fitting = part.messages.slice(0, MOST_MESSAGES).filter(({ message }, index) => {
    characters += message.text.length;
    return index === 0 || characters <= MOST_CHARACTERS;
  });
  const isAll = fitting.length === part.messages.length;
  const mark = isAll ? part.end : (fitting.at(-1)?.end ?? part.end);
  if (mark !== before) await setMark(reader, chat, mark);
  const messages = fitting.map(({ message }) => message);
  return { messages, more: !isAll || part.more, problems: part.wrong };
}

/** A chat that came with the project is nobody's words in the team. */
async function refusePlanted({ mailbox = MAILBOX_DIR, chat }: ChatAddress, directory: string): Promise<void> {
  if (!isInProject(mailbox)) return;
  const { channelFile } = await import("./sources/team/chats.ts");
  const { trackedAmong } = await import("./sources/files/git-index.ts");
  const file = channelFile(directory, chat);
  if ((await trackedAmong([file])).has(file)) throw new SottoError("mailbox_failed", `${file}: ${PLANTED}`);
}

function directoryOf({ mailbox = MAILBOX_DIR, cwd, home, team }: ChatAddress): string {
  return chatsPath(mailbox, team, { cwd, home: userDirectories(home).home });
}
