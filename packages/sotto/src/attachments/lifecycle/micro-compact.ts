// Micro-compact: old tool results were cleared, so that the agent knows why it no longer sees them.

import * as v from "valibot";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({ clearedCount: v.number() });

export const microCompact = defineAttachment({
  type: "micro_compact",
  summary: "Old tool results were cleared to make room.",
  tier: "event",
  when: "the host cleared old tool results from the history",
  needs: ["cleared"],
  schema,
  oneShot: true,
  carries: "own",
  trigger({ cleared: { pending } }) {
    if (pending.length === 0) return skip("no tool result was cleared since it was last said");
    const clearedCount = pending.reduce((sum, { count }) => sum + count, 0);
    return [{ data: { clearedCount }, covers: pending.map(({ id }) => id) }];
  },
  render: ({ clearedCount }) =>
    `Micro-compact cleared ${clearedCount} tool result(s) to reduce context size.`,
  examples: [{ title: "twelve results", data: { clearedCount: 12 } }],
});
