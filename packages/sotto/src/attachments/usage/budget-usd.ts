// USD budget: sent when spending crosses a threshold.

import * as v from "valibot";
import { lowestUsdSince } from "../../facts/usage.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { notCrossed, percentOf, thresholdOptions, usualThresholds } from "../shared/thresholds.ts";

const schema = v.object({ used: v.number(), total: v.number(), remaining: v.number() });

export const budgetUsd = defineAttachment({
  type: "budget_usd",
  summary: "How much of the budget was spent.",
  tier: "main_agent",
  when: `max_budget_usd is set, and spending crosses ${usualThresholds} of it, or every turn if configured`,
  needs: ["usage", "budget"],
  schema,
  options: thresholdOptions,
  repeat: "always",
  content: "trusted",
  trigger({ usage, budget: { maxUsd: total } }, { last }, { every_turn, thresholds }) {
    if (total === undefined) return skip("max_budget_usd is not set");
    const { spentUsd: used } = usage;
    if (used === undefined) return skip("no spending was reported");
    const due = [{ data: { used, total, remaining: Math.max(0, total - used) } }];
    if (every_turn) return due;
    const fell = last && lowestUsdSince(usage, last.seq);
    const why = notCrossed({
      thresholds,
      now: percentOf(used, total),
      before: last && (last.data === undefined ? 0 : percentOf(last.data.used, total)),
      fellTo: fell === undefined ? undefined : percentOf(fell, total),
    });
    return why === undefined ? due : skip(why);
  },
  render({ used, total }) {
    const [spent, all] = [Math.round(100 * used), Math.round(100 * total)];
    return `USD budget: ${dollars(spent)}/${dollars(all)}; ${dollars(Math.max(0, all - spent))} remaining`;
  },
  examples: [{ title: "half spent", data: { used: 2.505, total: 5, remaining: 2.495 } }],
});

function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}
