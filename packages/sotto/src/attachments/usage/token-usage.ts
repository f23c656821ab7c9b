// Token usage: sent when it crosses a threshold.

import * as v from "valibot";
import { lowestSince } from "../../facts/usage.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { notCrossed, percentOf, thresholdOptions, usualThresholds } from "../shared/thresholds.ts";

const schema = v.object({ used: v.number(), total: v.number(), remaining: v.number() });

export const tokenUsage = defineAttachment({
  type: "token_usage",
  summary: "How much of the context window is used.",
  tier: "main_agent",
  when: `usage crosses ${usualThresholds} of the window, or every turn if configured`,
  needs: ["usage"],
  schema,
  options: thresholdOptions,
  defaultEnabled: false,
  repeat: "always",
  content: "trusted",
  trigger({ usage }, { last }, { every_turn, thresholds }) {
    if (usage.reported === undefined) return skip("no usage was reported");
    if (usage.outdated) return skip("no usage was reported since the conversation was summarised");
    const { usedTokens: used, totalTokens: total } = usage.reported;
    if (total === 0) return skip("the size of the window is not known");
    const due = [{ data: { used, total, remaining: Math.max(0, total - used) } }];
    if (every_turn) return due;
    // Data that was too large to keep counts as 0.
    const before = last && (last.data === undefined ? 0 : percentOf(last.data.used, last.data.total));
    const why = notCrossed({
      thresholds,
      now: percentOf(used, total),
      before,
      fellTo: last && lowestSince(usage, last.seq),
    });
    return why === undefined ? due : skip(why);
  },
  render: ({ used, total, remaining }) => `Token usage: ${used}/${total}; ${remaining} remaining`,
  examples: [{ title: "half used", data: { used: 100_500, total: 200_000, remaining: 99_500 } }],
});
