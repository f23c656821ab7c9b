// Micro-compact: tells the agent that old tool results were cleared.

import * as v from "valibot";
import { sendOnce } from "../common-kinds.ts";

const schema = v.object({ clearedCount: v.number() });

export const microCompact = sendOnce({
  type: "micro_compact",
  summary: "Old tool results were cleared to make room.",
  tier: "event",
  when: "the host cleared old tool results from the history",
  needs: ["cleared"],
  schema,
  repeat: "never",
  content: "trusted",
  pending: ({ cleared }) => cleared.pending,
  together: (all) => ({ clearedCount: all.reduce((sum, { count }) => sum + count, 0) }),
  none: "no tool result was cleared since the last one was sent",
  render: ({ clearedCount }) =>
    `Micro-compact cleared ${clearedCount} tool result(s) to reduce context size.`,
  examples: [{ title: "twelve results", data: { clearedCount: 12 } }],
});
