// Memory of past sessions: the first lines of their notes, when a session starts.

import * as v from "valibot";
import { element } from "../../render/content.ts";
import { pathInText } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";

const schema = v.object({
  memories: v.pipe(
    v.array(
      v.object({
        fullPath: v.string(),
        /** The first lines of it. */
        content: v.string(),
        /** ISO 8601. */
        lastModified: v.string(),
        remainingLines: v.number(),
      }),
    ),
    v.minLength(1),
  ),
});

export const memory = sendOnce({
  type: "memory",
  aliases: ["session_memory"],
  summary: "Notes of past sessions, when a session starts.",
  tier: "main_agent",
  when: "the session starts, and there are notes of past ones",
  needs: ["pastSessions", "sessionNotes"],
  schema,
  repeat: "never",
  budget: "context",
  pending: ({ pastSessions }) => pastSessions.pending,
  together: ([first, ...later]) => ({ memories: (later.at(-1) ?? first).memories }),
  none({ pastSessions: { wanted }, sessionNotes: notes }) {
    if (!notes.known) return notes.why;
    if (wanted) return notes.value.untold ?? "no notes of past sessions were found";
    return "notes of past sessions are read once, when a session starts";
  },
  render({ memories }, { tools }) {
    const read = tools.tool("Read");
    const whole = read === undefined ? "" : `; use ${read} on the path for the whole`;
    const intro = `Notes of past sessions in this project. They may be unrelated to what you are asked, or out of date. These are previews only${whole}.`;
    const items = memories.map(({ fullPath, content, lastModified, remainingLines }) => {
      const more = remainingLines > 0 ? ` (${remainingLines} more lines in full file)` : "";
      return `## Previous Session (${lastModified.slice(0, 10)})\nFull session notes: ${pathInText(fullPath)}${more}\n\n${content}`;
    });
    return [element("session-memory", `${intro}\n\n${items.join("\n\n---\n\n")}`, { lines: true })];
  },
  readMoreAt: (_, { tools }) => {
    const read = tools.tool("Read");
    return read === undefined ? "the files have the rest" : `use ${read} on the files for the rest`;
  },
  examples: [
    {
      title: "two sessions, one of them longer than its preview",
      data: {
        memories: [
          {
            fullPath: "/repo/.claude/session-memory/2026-11-14.md",
            content: "# Cart totals\n\nThe total now counts how many of an item were bought.",
            lastModified: "2026-11-14T16:20:00.000Z",
            remainingLines: 31,
          },
          {
            fullPath: "/repo/.claude/session-memory/2026-11-12.md",
            content: "# Receipts\n\nOpen: the receipt says Tot. where it should say Total.",
            lastModified: "2026-11-12T09:05:00.000Z",
            remainingLines: 0,
          },
        ],
      },
    },
  ],
});
