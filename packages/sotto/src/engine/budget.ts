// The token budget of a turn: what is sent, cut or postponed. Nothing that must be sent is dropped.

import type { Attachment, BudgetClass } from "../attachments/attachment.ts";
import type { Settings } from "../config/schema.ts";

export interface Weighed {
  attachment: Attachment;
  tokens: number;
  /** Counted first and never cut. */
  uncut?: boolean | undefined;
  /** It cannot be made smaller: it is sent as it is. */
  smallest?: boolean | undefined;
}

export type Verdict = "send" | { cutTo: number } | { putOff: string };

/**
 * A verdict for each item, in the order given. Priority: user_prompt, one-shot, core, main_agent. `again`: what the
 * turn sends again anyway.
 */
export function spendBudget(
  items: readonly Weighed[],
  settings: Settings,
  opening: boolean,
  again: readonly Weighed[] = [],
): Verdict[] {
  const purses = new Map<BudgetClass, Purse>();
  const waiting = new Set<string>();
  const verdicts = new Array<Verdict>(items.length);
  for (const { item, index } of byPriority(items)) {
    const budget = budgetOf(item.attachment);
    const limit = limitOf(budget, settings, opening);
    const spent = tokensIn(again, budget);
    const purse = purses.get(budget) ?? {
      budget,
      limit,
      left: limit - spent,
      room: limit,
      isUsed: spent > 0,
    };
    purses.set(budget, purse);
    const { type } = item.attachment;
    const verdict = waiting.has(type)
      ? { putOff: `behind an earlier ${type} that was put off` }
      : judge(item, purse);
    if (!isPutOff(verdict) && item.attachment.whenTooLong === "split") purse.isUsed = true;
    verdicts[index] = verdict;
    // Within a type, nothing overtakes what came before it.
    if (isPutOff(verdict)) waiting.add(type);
  }
  for (const { left, cut } of purses.values()) if (cut !== undefined) cut.cutTo += Math.max(0, left);
  return verdicts;
}

interface Purse {
  budget: BudgetClass;
  limit: number;
  left: number;
  /** The limit less what is never cut. */
  room: number;
  /** Something sent in parts has taken some of it, or the turn sends something again. */
  isUsed: boolean;
  /** The first one that was cut gets what the others leave. */
  cut?: { cutTo: number };
  /** A long text is being sent in parts: the next one waits for it, or they would take the whole budget. */
  hasLong?: true;
}

// What people wrote makes progress in every turn, however much of the budget is taken by what is never cut.
const LEAST_PART = 100;

function judge(item: Weighed, purse: Purse): Verdict {
  const { attachment, tokens } = item;
  const { budget, limit, left, room } = purse;
  const isSplit = attachment.whenTooLong === "split";
  if (isUncut(item)) {
    purse.left = left - tokens;
    purse.room = Math.max(0, room - tokens);
    return "send";
  }
  if (tokens <= left || item.smallest) {
    purse.left -= tokens;
    return "send";
  }
  const least = Math.min(LEAST_PART, limit);
  if (isSplit && room < least && !purse.isUsed) {
    purse.left -= Math.min(tokens, least);
    return tokens <= least ? "send" : { cutTo: least };
  }
  // Larger than the whole budget, so waiting would not help: cut to half, which leaves the rest to the others.
  const half = Math.max(Math.floor(room / 2), isSplit ? Math.min(least, room) : 0);
  const waits = isSplit && purse.hasLong;
  if (tokens > room && half > 0 && left >= half && !waits) {
    if (isSplit) purse.hasLong = true;
    const cut = { cutTo: half };
    purse.cut ??= cut;
    purse.left -= half;
    return cut;
  }
  const whose = budget === "turn" ? "turn" : `turn's ${budget}`;
  return { putOff: `${tokens} tokens, ${Math.max(0, left)} of ${limit} left for this ${whose}` };
}

function tokensIn(items: readonly Weighed[], budget: BudgetClass): number {
  return items.reduce(
    (sum, { attachment, tokens }) => sum + (budgetOf(attachment) === budget ? tokens : 0),
    0,
  );
}

function byPriority(items: readonly Weighed[]): { item: Weighed; index: number }[] {
  const ranked = items.map((item, index) => ({ item, index, rank: rankOf(item) }));
  return ranked.sort((a, b) => a.rank - b.rank || a.index - b.index);
}

function rankOf(item: Weighed): number {
  const { tier, repeat, budget } = item.attachment;
  if (isUncut(item)) return 0;
  if (tier === "user_prompt" || budget === "prompt") return 1;
  if (repeat === "never" || tier === "event") return 2;
  return tier === "core" ? 3 : 4;
}

function isUncut({ attachment, uncut }: Weighed): boolean {
  return attachment.whenTooLong === "send" || uncut === true;
}

function isPutOff(verdict: Verdict): boolean {
  return typeof verdict === "object" && "putOff" in verdict;
}

function budgetOf({ budget, tier }: Attachment): BudgetClass {
  return budget ?? (tier === "user_prompt" ? "prompt" : "turn");
}

/** At the start of a session and after compaction much is due at once. */
function limitOf(budget: BudgetClass, settings: Settings, opening: boolean): number {
  const { max_prompt_tokens, max_memory_tokens, max_context_tokens, max_tokens_per_turn } = settings;
  if (budget === "memory") return max_memory_tokens;
  if (budget === "context") return max_context_tokens;
  const usual = budget === "prompt" ? max_prompt_tokens : max_tokens_per_turn;
  return opening ? Math.max(usual, max_context_tokens) : usual;
}
