// A draft: one thing that is due, rendered and weighed, and cut where it has to be.

import type { Attachment, BudgetClass } from "../attachments/attachment.ts";
import type { Settings, TypeSettings } from "../config/schema.ts";
import type { StoredBlock } from "../facts/event-fields.ts";
import { errorText } from "../platform/errors.ts";
import type { Content } from "../render/content.ts";
import {
  assembleBlocks,
  blockTokens,
  cutContent,
  firstOf,
  neutralContent,
  neutralOnceMore,
} from "../render/render.ts";
import { withTemplate } from "../render/template/apply-template.ts";
import type { SessionContext } from "./context.ts";
import { type Candidate, refusePromise } from "./evaluate.ts";

export interface Draft {
  candidate: Candidate;
  blocks: StoredBlock[];
  tokens: number;
  /** For the trace: what became of the user's template for it. */
  note?: string;
  /** A project's template made the text. */
  ofProject?: true;
  /** It says a part of its edge: so many characters. */
  divides?: { id: string; at: number };
}

/** With what it was put together from, so that it can be cut. */
export type Rendered = Draft & {
  neutral: Content;
  wrapper?: string | undefined;
  /** As small as it can be made without being cut: it is sent as it is. */
  smallest?: true;
};

const WRAPPER = "system-reminder";
const SPARE = 8;

/** What the type itself says; the rest is ours. */
export function renderContent(
  { attachment, due }: Candidate,
  settings: TypeSettings,
  context: SessionContext,
): Content {
  const content = attachment.render(due.data, { tools: context.vocabulary, options: settings.options });
  refusePromise(content, "its render");
  return attachment.inParts || attachment.uncut || due.uncut
    ? firstOf(content)
    : firstOf(content, mostCharacters(context));
}

export function toDraft(candidate: Candidate, content: Content, context: SessionContext): Rendered {
  const { attachment, due } = candidate;
  const wrapper = attachment.wrap === "own-tags" ? undefined : WRAPPER;
  const { nameOf, neutraliser } = context.tags;
  const neutral = neutralContent(content, neutraliser);
  const builtIn = assembleBlocks(neutral, { nameOf, wrapper });
  const template = context.templates.get(attachment.type);
  // A silent type stays silent.
  if (template === undefined || builtIn.length === 0)
    return { candidate, neutral, wrapper, blocks: builtIn, tokens: blockTokens(builtIn) };
  const { inTag, content: ownContent, ...rest } = withTemplate(content, template, due.data);
  const around = inTag ? wrapper : WRAPPER;
  const own = neutralContent(ownContent, neutraliser);
  const blocks = assembleBlocks(own, { nameOf, wrapper: around });
  return { candidate, ...rest, neutral: own, wrapper: around, blocks, tokens: blockTokens(blocks) };
}

/** More than fits into any budget, whatever it is made of: beyond it nothing has to be looked at. */
function mostCharacters({ settings }: SessionContext): number {
  const { max_tokens_per_turn, max_prompt_tokens, max_memory_tokens, max_context_tokens } = settings;
  return 16 * Math.max(max_tokens_per_turn, max_prompt_tokens, max_memory_tokens, max_context_tokens, 5000);
}

/** Of what is too large to be shown: that it is there. */
export function shortDraft(attachment: Attachment, edge: string, { tags }: SessionContext): Rendered {
  const content = `Something of the kind ${attachment.type} came and is too large to be shown: ${errorText(edge)}.`;
  const neutral = neutralContent(content, tags.neutraliser);
  const blocks = assembleBlocks(neutral, { nameOf: tags.nameOf, wrapper: WRAPPER });
  const due = { data: undefined, covers: [edge], carries: "untrusted" as const };
  const candidate = { attachment, due, hash: "" };
  return { candidate, neutral, wrapper: WRAPPER, blocks, tokens: blockTokens(blocks) };
}

/** As the budget has it: whole, cut, or put off. */
export function fitDraft(
  draft: Rendered,
  verdict: Verdict,
  context: SessionContext,
): Draft | { putOff: string } {
  if (verdict === "send") return draft;
  if ("putOff" in verdict) return verdict;
  const { cutTo } = verdict;
  const { candidate, neutral, wrapper } = draft;
  if (candidate.attachment.inParts && candidate.due.covers?.length)
    return { putOff: `${draft.tokens} tokens, no room for another part in this turn` };
  const where = whereRest(candidate, context);
  const note = `(cut to fit ${cutTo} tokens${where === undefined ? "" : `; ${where}`})`;
  const { nameOf, neutraliser } = context.tags;
  const assemble = (part: Content) => assembleBlocks(part, { nameOf, wrapper });
  const cutWithin = (most: number) => {
    const cut = cutContent(neutral, (part) => blockTokens(assemble(part)) <= most, note);
    return assemble(neutralOnceMore(cut, neutraliser));
  };
  let blocks = cutWithin(cutTo);
  // Where the cut made a tag that had to be neutralised, the text can be a little longer.
  for (let spare = SPARE; blockTokens(blocks) > cutTo && spare < cutTo; spare *= 2)
    blocks = cutWithin(cutTo - spare);
  const tokens = blockTokens(blocks);
  if (tokens > cutTo) return { putOff: `${draft.tokens} tokens, and no room to cut it to ${cutTo}` };
  const { note: about, ofProject } = draft;
  return {
    ...{ candidate, blocks, tokens },
    ...(about === undefined ? {} : { note: about }),
    ...(ofProject ? { ofProject } : {}),
  };
}

/** A text is cut with or without a word about where the rest is. */
function whereRest(
  { attachment, due }: Candidate,
  { settings, vocabulary }: SessionContext,
): string | undefined {
  const options = settings.types.get(attachment.type)?.options;
  try {
    const where: unknown = attachment.rest?.(due.data, { tools: vocabulary, options });
    return typeof where === "string" ? errorText(where) : undefined;
  } catch {
    return undefined;
  }
}

// The token budget: what goes out this turn, what is cut, what is put off. Nothing that must be said is dropped.

export interface Weighed {
  attachment: Attachment;
  tokens: number;
  /** Counted first and never cut. */
  uncut?: boolean | undefined;
  /** As small as it can be made: it is sent as it is. */
  smallest?: boolean | undefined;
}

export type Verdict = "send" | { cutTo: number } | { putOff: string };

/**
 * One verdict for each, in the order given: by priority user_prompt, one-shot, core, main_agent. `again`: what the turn
 * says again anyway.
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
    if (!isPutOff(verdict) && item.attachment.inParts) purse.isUsed = true;
    verdicts[index] = verdict;
    // Of one type nothing overtakes what came before it.
    if (isPutOff(verdict)) waiting.add(type);
  }
  for (const { left, cut } of purses.values()) if (cut !== undefined) cut.cutTo += Math.max(0, left);
  return verdicts;
}

interface Purse {
  budget: BudgetClass;
  limit: number;
  left: number;
  /** What there is in any turn, besides what is never cut. */
  room: number;
  /** Something that comes in parts has got some of it, or the turn says something again. */
  isUsed: boolean;
  /** The first one that was cut gets what the others leave. */
  cut?: { cutTo: number };
  /** A long text is on its way in parts: the next one waits until it has arrived, or they would take all there is. */
  hasLong?: true;
}

// What people wrote makes headway in every turn, however much of it is taken by what is never cut.
const LEAST_PART = 100;

function judge(item: Weighed, purse: Purse): Verdict {
  const { attachment, tokens } = item;
  const { budget, limit, left, room } = purse;
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
  if (attachment.inParts && room < least && !purse.isUsed) {
    purse.left -= Math.min(tokens, least);
    return tokens <= least ? "send" : { cutTo: least };
  }
  // Larger than all there ever is: waiting would not help. It is cut, and leaves half of the room to the others.
  const half = Math.max(Math.floor(room / 2), attachment.inParts ? Math.min(least, room) : 0);
  const waits = attachment.inParts && purse.hasLong;
  if (tokens > room && half > 0 && left >= half && !waits) {
    if (attachment.inParts) purse.hasLong = true;
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
  const { tier, oneShot, budget } = item.attachment;
  if (isUncut(item)) return 0;
  if (tier === "user_prompt" || budget === "prompt") return 1;
  if (oneShot || tier === "event") return 2;
  return tier === "core" ? 3 : 4;
}

function isUncut({ attachment, uncut }: Weighed): boolean {
  return attachment.uncut === true || uncut === true;
}

function isPutOff(verdict: Verdict): boolean {
  return typeof verdict === "object" && "putOff" in verdict;
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

// Which reminders may go into the provider's trusted role: those in which every word is the engine's or its user's.

/**
 * A type that calls its words its own is not enough: file names, branches, agents' names and values of config come in
 * through its data, and a project may have chosen any of them. So every text in the data counts as a stranger's unless
 * the type says of that field whose it is (`ownWords`).
 */
export function mayBeNative({ candidate: { attachment, due }, blocks, ofProject }: Draft): boolean {
  const carries = due.carries ?? attachment.carries;
  if (carries !== "own" || ofProject || blocks.some(({ type }) => type !== "text")) return false;
  const ownWords: readonly string[] = attachment.ownWords ?? [];
  if (typeof due.data !== "object" || due.data === null) return !holdsText(due.data);
  return Object.entries(due.data).every(([field, value]) => ownWords.includes(field) || !holdsText(value));
}

/** Names in a table are text as well; those of a type's own fields are not asked about. */
function holdsText(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsText);
  return Object.keys(value).length > 0;
}
