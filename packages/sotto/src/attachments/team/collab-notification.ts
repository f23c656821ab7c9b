// Unread collaboration chats: how many messages, and from whom.

import * as v from "valibot";
import type { Collab, Observed } from "../../facts/facts.ts";
import { skip } from "../attachment.ts";
import { sendWhenChanged } from "../common-kinds.ts";

const schema = v.object({
  chats: v.pipe(v.array(v.object({ handle: v.string(), unreadCount: v.number() })), v.minLength(1)),
});

export const collabNotification = sendWhenChanged({
  type: "collab_notification",
  summary: "Collaboration chats have unread messages.",
  tier: "core",
  when: "there are unread chats: at once, and whenever they change",
  needs: ["chats", "collab"],
  schema,
  state({ chats: { unread, changed }, collab }) {
    if (unread.length === 0) return skip(whyNone(collab));
    // The same numbers after a change are other messages.
    return { data: { chats: unread }, key: `change-${changed}`, isNewByKey: true };
  },
  note: ({ collab }) => unreadable(collab),
  render({ chats }, { tools }) {
    const total = chats.reduce((sum, { unreadCount }) => sum + unreadCount, 0);
    const senders = chats.map(({ handle, unreadCount }) => `@${plainHandle(handle)} (${unreadCount} new)`);
    const read = tools.tool("CollabRead");
    const use = read === undefined ? "" : ` ${read} reads them.`;
    return `You have ${total} unread collab message(s) from: ${senders.join(", ")}.${use}`;
  },
  readMoreAt: ({ chats }) => `${chats.length} chats have unread messages`,
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

/** On one line, without the sign that is put before it. */
function plainHandle(handle: string): string {
  return handle.replace(/\s+/gu, " ").trim().replace(/^@/u, "");
}

function whyNone(collab: Observed<Collab> | undefined): string {
  if (collab === undefined) return "no chat has unread messages";
  if (!collab.known) return `no unread chat is known: ${collab.why}`;
  const why = unreadable(collab);
  return why === undefined ? "no chat has unread messages" : `no chat has unread messages; ${why}`;
}

function unreadable(collab: Observed<Collab> | undefined): string | undefined {
  const last = collab?.known ? collab.value.problems.at(-1) : undefined;
  return last && `could not be read, the latest: ${last.chat}: ${last.reason}`;
}
