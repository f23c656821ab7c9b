// sendMessage: a letter into an agent's mailbox, from any process.

import { SottoError } from "./platform/errors.ts";
import { checkAddress, mailboxPath } from "./sources/team/mailbox-path.ts";
import { userPlaces } from "./platform/user-directories.ts";

export interface MessageOptions {
  /** The root of all mailboxes, as `mailbox_dir` in the config. */
  mailbox?: string;
  /** What a relative root is relative to: the project. */
  cwd: string;
  home?: string;
  to: { team: string; agent: string };
  /** Who it is from, as the reader is to know them. */
  from: string;
  text: string;
  /** Where it is sent again because nobody knows whether it was: the same id is one message. */
  id?: string;
}

const MAILBOX_DIR = ".sotto/mail";

/** Resolves when the message is safe on disk; rejects where nothing was sent. */
export async function sendMessage(options: MessageOptions): Promise<{ id: string }> {
  const { mailbox = MAILBOX_DIR, cwd, to, from, text } = options;
  checkAddress(to);
  for (const [what, value] of Object.entries({
    from,
    text,
    ...(options.id === undefined ? {} : { id: options.id }),
  }))
    if (typeof value !== "string" || value.trim() === "" || (what !== "text" && value.length > 200))
      throw new SottoError(
        "invalid_request",
        `message.${what}: expected a text${what === "text" ? "" : " of up to 200 characters"}`,
      );
  const { home } = userPlaces(options.home);
  const unique = process.getBuiltinModule("node:crypto").randomUUID();
  const id = options.id ?? unique;
  const { send } = await import("./sources/team/send.ts");
  const box = mailboxPath(mailbox, to, { cwd, home });
  await send(box, { id, from, text, timestamp: new Date().toISOString() }, unique);
  return { id };
}
