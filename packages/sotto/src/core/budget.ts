// The token budget: what goes out this turn, what is cut, what is put off. Nothing that must be said is dropped.

import type { Attachment, BudgetClass } from "./attachment.ts";
import type { Settings } from "./config.ts";

export interface Weighed {
  attachment: Attachment;
  tokens: number;
}

export type Verdict = "send" | { cutTo: number } | { putOff: string };

/** One verdict for each, in the order given: by priority user_prompt, one-shot, core, main_agent. */
export function spendBudget(items: readonly Weighed[], settings: Settings, opening: boolean): Verdict[] {
  const spent = new Map<BudgetClass, number>();
  const verdicts = new Array<Verdict>(items.length);
  for (const { item, index } of byPriority(items)) {
    const budget = budgetOf(item.attachment);
    const limit = limitOf(budget, settings, opening);
    const used = spent.get(budget) ?? 0;
    const verdict = judge(item, { limit, used, budget });
    verdicts[index] = verdict;
    if (verdict === "send") spent.set(budget, used + item.tokens);
    else if ("cutTo" in verdict) spent.set(budget, used + verdict.cutTo);
  }
  return verdicts;
}

function judge(
  { attachment, tokens }: Weighed,
  { limit, used, budget }: { limit: number; used: number; budget: BudgetClass },
): Verdict {
  if (attachment.uncut) return "send";
  const left = limit - used;
  if (tokens <= left) return "send";
  const putOff = `${tokens} tokens, ${Math.max(0, left)} of ${limit} left for this ${budget === "turn" ? "turn" : `turn's ${budget}`}`;
  // Larger than the whole budget: waiting would not help, so it is cut once there is decent room.
  return tokens > limit && left >= limit / 2 ? { cutTo: left } : { putOff };
}

function byPriority(items: readonly Weighed[]): { item: Weighed; index: number }[] {
  const ranked = items.map((item, index) => ({ item, index, rank: rankOf(item.attachment) }));
  return ranked.sort((a, b) => a.rank - b.rank || a.index - b.index);
}

function rankOf({ uncut, tier, oneShot }: Attachment): number {
  if (uncut) return 0;
  if (tier === "user_prompt") return 1;
  if (oneShot || tier === "event") return 2;
  return tier === "core" ? 3 : 4;
}

function budgetOf({ budget, tier }: Attachment): BudgetClass {
  return budget ?? (tier === "user_prompt" ? "prompt" : "turn");
}

/** At the start of a session and after compaction much comes back at once. */
function limitOf(budget: BudgetClass, settings: Settings, opening: boolean): number {
  if (budget === "prompt") return settings.max_prompt_tokens;
  if (budget === "memory") return settings.max_memory_tokens;
  if (budget === "context") return settings.max_context_tokens;
  return opening
    ? Math.max(settings.max_tokens_per_turn, settings.max_context_tokens)
    : settings.max_tokens_per_turn;
}
