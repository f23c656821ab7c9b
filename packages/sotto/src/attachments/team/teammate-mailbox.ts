// Messages from teammates, each in its own tag.

import * as v from "valibot";
import type { Mail, Observed } from "../../facts/facts.ts";
import { element, type Part } from "../../render/content.ts";
import { sendOnce } from "../common-kinds.ts";
import { longFields, whereRest, whichPart } from "../shared/long-text.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

// What does not fit into one turn waits for the next; messages are never summarised.
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
        /** Sent before; a summary has replaced the history since. */
        again: v.optional(v.boolean()),
        ...longFields,
      }),
    ),
    v.minLength(1),
  ),
});

export const teammateMailbox = sendOnce({
  type: "teammate_mailbox",
  summary: "Unread messages from teammates.",
  tier: "core",
  when: "there are unread messages for this agent",
  needs: ["mailbox", "mail"],
  schema,
  repeat: "never",
  conversation: true,
  whenTooLong: "split",
  wrap: "own-tags",
  pending({ mailbox: { pending } }) {
    let characters = 0;
    return pending.slice(0, MOST_MESSAGES).filter(({ text }, index) => {
      characters += text.length;
      return index === 0 || characters <= MOST_CHARACTERS;
    });
  },
  together: (fitting) => ({
    messages: fitting.map(({ from, text, timestamp, old, part, cut }) =>
      withoutUndefined({ from, text, timestamp, again: old, part, cut }),
    ),
  }),
  none: ({ mail }) => whyNone(mail),
  leftOut: ({ mail }) => troubles(mail),
  render({ messages }) {
    return messages.flatMap(({ from, text, again, part, cut }, index): Part[] => {
      // In the tag, so that the sender cannot forge it.
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

function whyNone(mail: Observed<Mail> | undefined): string {
  if (mail?.known === false) return `no unread message is known: ${mail.why}`;
  const why = troubles(mail);
  if (mail?.value.later !== undefined) return `no unread message is known: ${why}`;
  return why === undefined ? "no unread message" : `no unread message; ${why}`;
}

/** Mail that is read later, and files that are not messages. */
function troubles(mail: Observed<Mail> | undefined): string | undefined {
  if (!mail?.known) return undefined;
  const { aside, bad, later } = mail.value;
  const last = bad.at(-1);
  const wrong = last === undefined ? [] : [`${aside} set aside, the latest: ${last.file}: ${last.reason}`];
  return [later ?? [], wrong].flat().join("; ") || undefined;
}
