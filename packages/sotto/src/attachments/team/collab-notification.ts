// Unread collaboration chats: how many messages wait, and from whom.

import * as v from "valibot";
import type { Collab, Observed } from "../../facts/facts.ts";
import { defineAttachment, skip, withNote } from "../attachment.ts";

const schema = v.object({
  chats: v.pipe(v.array(v.object({ handle: v.string(), unreadCount: v.number() })), v.minLength(1)),
});

export const collabNotification = defineAttachment({
  type: "collab_notification",
  summary: "Collaboration chats have unread messages.",
  tier: "core",
  when: "there are unread chats: at once, and whenever they change",
  needs: ["chats", "collab"],
  schema,
  repeats: true,
  carries: "untrusted",
  trigger({ chats: { unread, changed }, collab }, said) {
    if (unread.length === 0) return skip(whyNone(collab));
    // The same numbers after a change are other messages.
    const key = `change-${changed}`;
    const { last } = said.about(key);
    return last === undefined
      ? withNote([{ data: { chats: unread }, key }], unreadable(collab))
      : skip(`said in turn ${last.turn}, and not changed since`);
  },
  render({ chats }, { tools }) {
    const total = chats.reduce((sum, { unreadCount }) => sum + unreadCount, 0);
    const senders = chats.map(({ handle, unreadCount }) => `@${plainHandle(handle)} (${unreadCount} new)`);
    const read = tools.tool("CollabRead");
    const use = read === undefined ? "" : ` ${read} reads them.`;
    return `You have ${total} unread collab message(s) from: ${senders.join(", ")}.${use}`;
  },
  rest: ({ chats }) => `${chats.length} chats have unread messages`,
  examples: [
    { title: "one chat", data: { chats: [{ handle: "ada", unreadCount: 1 }] } },
    {
      title: "two chats",
      data: {
        chats: [
          { handle: "ada", unreadCount: 2 },
          { handle: "grace", unreadCount: 3 },
        ],
      },
    },
  ],
});

/** On one line, and with one sign before it. */
function plainHandle(handle: string): string {
  return handle.replace(/\s+/gu, " ").trim().replace(/^@/u, "");
}

/** Where the host has no chats, or there is nothing wrong with them: nobody wrote. */
function whyNone(collab: Observed<Collab> | undefined): string {
  if (collab === undefined) return "no chat has unread messages";
  if (!collab.known) return `no unread chat is known: ${collab.why}`;
  const why = unreadable(collab);
  return why === undefined ? "no chat has unread messages" : `no chat has unread messages; ${why}`;
}

function unreadable(collab: Observed<Collab> | undefined): string | undefined {
  const last = collab?.known ? collab.value.problems.at(-1) : undefined;
  return last && `what could not be read, the last: ${last.chat}: ${last.reason}`;
}
