// Messages from team mates: someone else's words, each in a tag of its own.

import * as v from "valibot";
import type { Mail, Observed } from "../../facts/facts.ts";
import { element, type Part } from "../../render/content.ts";
import { defineAttachment, skip, withNote } from "../attachment.ts";
import { longData, longFields, whereRest, whichPart } from "../shared/long-text.ts";

// What does not fit into one turn waits for the next; nothing is summed up, these are letters.
const MOST_MESSAGES = 20;
const MOST_CHARACTERS = 8000;
const AGAIN = "not new: sent before this conversation was summarised";

const schema = v.object({
  messages: v.pipe(
    v.array(
      v.object({
        from: v.string(),
        text: v.string(),
        timestamp: v.string(),
        /** It was sent before, and the history was replaced by a summary since. */
        again: v.optional(v.boolean()),
        ...longFields,
      }),
    ),
    v.minLength(1),
  ),
});

export const teammateMailbox = defineAttachment({
  type: "teammate_mailbox",
  summary: "Unread messages from team mates.",
  tier: "core",
  when: "there are unread messages for this agent",
  needs: ["mailbox", "mail"],
  schema,
  oneShot: true,
  words: true,
  inParts: true,
  wrap: "own-tags",
  carries: "untrusted",
  trigger({ mailbox: { pending }, mail }) {
    if (pending.length === 0) return skip(whyNone(mail));
    let characters = 0;
    const fitting = pending.slice(0, MOST_MESSAGES).filter(({ text }, index) => {
      characters += text.length;
      return index === 0 || characters <= MOST_CHARACTERS;
    });
    const messages = fitting.map((edge) => ({
      from: edge.from,
      text: edge.text,
      timestamp: edge.timestamp,
      ...(edge.old ? { again: true } : {}),
      ...longData(edge),
    }));
    return withNote([{ data: { messages }, covers: fitting.map(({ id }) => id) }], troubles(mail));
  },
  render({ messages }) {
    return messages.flatMap(({ from, text, again, part, cut }, index): Part[] => {
      // In the tag, where the sender's words cannot pass for it.
      const notes = [again ? AGAIN : undefined, whichPart(part), whereRest({ part, cut })].filter(
        (one) => one !== undefined,
      );
      return [
        ...(index === 0 ? [] : ["\n\n"]),
        element("teammate-message", text, {
          attributes: { teammate_id: from, ...(notes.length > 0 ? { note: notes.join("; ") } : {}) },
          lines: true,
        }),
      ];
    });
  },
  examples: [
    {
      title: "two messages",
      data: {
        messages: [
          { from: "ada", text: "The parser is done.", timestamp: "2026-11-15T10:00:00Z" },
          { from: "grace", text: "Tests are green on main.", timestamp: "2026-11-15T10:01:00Z" },
        ],
      },
    },
    {
      title: "a part of a long one",
      data: {
        messages: [
          {
            from: "ada",
            text: "The first thing I found is this.\n",
            timestamp: "2026-11-15T10:00:00Z",
            part: { from: 0, to: 33, of: 40_000 },
          },
        ],
      },
    },
    {
      title: "again, after a summary",
      data: {
        messages: [
          { from: "ada", text: "The parser is done.", timestamp: "2026-11-15T10:00:00Z", again: true },
        ],
      },
    },
  ],
});

/** Where the host has no mailbox, or there is nothing wrong with it: nobody wrote. */
function whyNone(mail: Observed<Mail> | undefined): string {
  if (mail?.known === false) return `no unread message is known: ${mail.why}`;
  const why = troubles(mail);
  if (mail?.value.later !== undefined) return `no unread message is known: ${why}`;
  return why === undefined ? "no unread message" : `no unread message; ${why}`;
}

/** What is read later, and what is no message. */
function troubles(mail: Observed<Mail> | undefined): string | undefined {
  if (!mail?.known) return undefined;
  const { aside, bad, later } = mail.value;
  const last = bad.at(-1);
  const wrong = last === undefined ? [] : [`${aside} set aside, the last: ${last.file}: ${last.reason}`];
  return [later ?? [], wrong].flat().join("; ") || undefined;
}
