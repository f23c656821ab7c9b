// Token usage: silent until a threshold is crossed.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";
import { lowestSince } from "../../core/facts/usage.ts";

const schema = v.object({ used: v.number(), total: v.number(), remaining: v.number() });

const percent = v.pipe(v.number(), v.minValue(1), v.maxValue(100));
const options = v.object({
  every_turn: v.optional(v.boolean(), false),
  thresholds: v.optional(v.array(percent), [50, 75, 90, 95]),
});

export const tokenUsage = defineAttachment({
  type: "token_usage",
  summary: "How much of the context window is used.",
  tier: "main_agent",
  when: "usage crosses 50, 75, 90 or 95 % of the window, or every turn if asked",
  needs: ["usage"],
  schema,
  options,
  defaultEnabled: false,
  repeats: true,
  carries: "own",
  trigger({ usage }, said, { every_turn, thresholds }) {
    if (usage.reported === undefined) return skip("no usage was reported");
    const { usedTokens: used, totalTokens: total } = usage.reported;
    if (total === 0) return skip("the size of the window is not known");
    const due = [{ data: { used, total, remaining: Math.max(0, total - used) } }];
    if (every_turn) return due;
    const now = Math.floor((100 * used) / total);
    const crossed = highest(thresholds, now);
    if (crossed === undefined)
      return skip(
        `${now} % used, the first threshold is ${thresholds.length === 0 ? "not set" : `${Math.min(...thresholds)} %`}`,
      );
    const { last } = said;
    if (last === undefined) return due;
    const fellTo = lowestSince(usage, last.seq) ?? now;
    const before = last.data === undefined ? 0 : Math.floor((100 * last.data.used) / last.data.total);
    if (crossed > (highest(thresholds, Math.min(before, fellTo)) ?? 0)) return due;
    return skip(`${now} % used, the threshold of ${crossed} % was said at ${before} %`);
  },
  render: ({ used, total, remaining }) => `Token usage: ${used}/${total}; ${remaining} remaining`,
  examples: [{ title: "half used", data: { used: 100_500, total: 200_000, remaining: 99_500 } }],
});

function highest(thresholds: readonly number[], value: number): number | undefined {
  const passed = thresholds.filter((threshold) => value >= threshold);
  return passed.length === 0 ? undefined : Math.max(...passed);
}
