// Chats of a team: a message into one, and what an agent has not read of one.

import { SottoError } from "./platform/errors.ts";
import { chatsPath, isTeamName } from "./sources/team/mailbox-path.ts";
import type { ChatMessage } from "./sources/team/channel.ts";
import { userPlaces } from "./platform/user-directories.ts";

export interface ChatPlace {
  /** The root of all mailboxes, as `mailbox_dir` in the config: chats are beside them. */
  mailbox?: string;
  /** What a relative root is relative to: the project. */
  cwd: string;
  home?: string;
  team: string;
  /** The name of the chat; one that is not there yet begins with its first message. */
  chat: string;
}

export interface ReadChat {
  messages: readonly ChatMessage[];
  /** There is more than was given: it is read next. */
  more: boolean;
  /** Lines that were passed over, and why. */
  problems: readonly string[];
}

const MAILBOX_DIR = ".sotto/mail";
const MOST_MESSAGES = 100;
const MOST_CHARACTERS = 30_000;

/** Resolves when the message is safe on disk. */
export async function postToChat(options: ChatPlace & { from: string; text: string }): Promise<void> {
  const { chat, from, text } = options;
  const { append, LONGEST_TEXT } = await import("./sources/team/channel.ts");
  if (typeof text !== "string" || text.trim() === "" || text.length > LONGEST_TEXT)
    throw new SottoError("invalid_request", `chat.text: expected a text of up to ${LONGEST_TEXT} characters`);
  const directory = directoryOf(options, { from });
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

/** What this agent has not read yet, oldest first; it has then. Nothing where there is no such chat. */
export async function readChat(options: ChatPlace & { agent: string }): Promise<ReadChat | undefined> {
  const { chat, agent } = options;
  const directory = directoryOf(options, { agent });
  const { readFrom } = await import("./sources/team/channel.ts");
  const { markOf, setMark } = await import("./sources/team/marks.ts");
  const reader = { directory, agent };
  const before = await markOf(reader, chat);
  const part = await readFrom(directory, chat, before).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new SottoError("mailbox_failed", `the chat ${chat} cannot be read: ${error.message}`, error);
  });
  if (part === undefined) return undefined;
  let characters = 0;
  const fitting = part.messages.slice(0, MOST_MESSAGES).filter(({ message }, index) => {
    characters += message.text.length;
    return index === 0 || characters <= MOST_CHARACTERS;
  });
  const isAll = fitting.length === part.messages.length;
  const mark = isAll ? part.end : (fitting.at(-1)?.end ?? part.end);
  const unique = process.getBuiltinModule("node:crypto").randomUUID();
  if (mark !== before) await setMark(reader, chat, { mark, unique });
  const messages = fitting.map(({ message }) => message);
  return { messages, more: !isAll || part.more, problems: part.wrong };
}

function directoryOf({ mailbox = MAILBOX_DIR, cwd, home, team, chat }: ChatPlace, who: object): string {
  for (const [what, name] of Object.entries({ team, chat, ...who }))
    if (!isTeamName(name))
      throw new SottoError(
        "invalid_request",
        `chat: the ${what} ${JSON.stringify(name)} cannot be used; letters, digits, _ . @ - are, up to 100`,
      );
  return chatsPath(mailbox, team, { cwd, home: userPlaces(home).home });
}
