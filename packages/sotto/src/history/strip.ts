// Recognises reminders block by block, and removes them from what others should see.

import * as v from "valibot";
import type { Dialect, HistoryBlock, Position } from "../dialects/dialect.ts";
import { checkOptions, flag, table } from "../platform/check-options.ts";
import { SottoError } from "../platform/errors.ts";
import { OWN_TAGS } from "../render/tags.ts";
import { isWhollyReminder } from "./said-texts.ts";

/** Whether a text was delivered; without a log the tags decide. */
export type IsDelivered = (text: string) => boolean;

const byTags: IsDelivered = (text) => isWhollyReminder(text, OWN_TAGS);

/** Whether a message contains reminders and nothing else. */
export function isReminder<Body>(
  dialect: Dialect<Body>,
  message: unknown,
  isDelivered: IsDelivered = byTags,
): boolean {
  checkDialect("isReminder", dialect);
  const blocks = readSafely(dialect, message, 0);
  const spoken = blocks.filter((block) => block.kind !== "text" || block.text?.trim() !== "");
  return (
    spoken.length > 0 &&
    spoken.every(
      (block, index) => isReminderBlock(block, isDelivered) || isItsImage(spoken, index, isDelivered),
    )
  );
}

/**
 * The request as a summariser should see it: without reminders, but with what people said through them, as far as the
 * request contains it (`session.withoutReminders` knows the rest). `words: false` removes that as well.
 */
export function withoutReminders<Body>(
  dialect: Dialect<Body>,
  body: Body,
  options: { words?: boolean } = {},
): Body {
  checkStripping(dialect, body, options);
  const { words = true } = options;
  return strip(dialect, body, (text) => byTags(text) && !(words && isWords(text)));
}

const stripOptions = table({ words: v.optional(flag) }, "options such as { words: false }");

/** Throws if something is wrong with what `withoutReminders` was given. */
export function checkStripping<Body>(dialect: Dialect<Body>, body: unknown, options: unknown): void {
  checkOptions("withoutReminders", stripOptions, options);
  checkDialect("withoutReminders", dialect);
  const problem = dialect.problem(body);
  if (problem !== undefined)
    throw new SottoError("invalid_request", `the request is not of the dialect ${dialect.name}: ${problem}`);
}

function checkDialect(call: string, dialect: unknown): void {
  if (typeof (dialect as Partial<Dialect> | null | undefined)?.problem === "function") return;
  throw new SottoError(
    "invalid_request",
    `${call}: dialect: expected a dialect object such as anthropicMessages, imported from "sotto"`,
  );
}

// How a teammate's message is tagged, and how a message that the user sent meanwhile begins.
const WORDS =
  /^<(?:teammate-message[ >]|system-reminder>\n[^\n]*\bthe user sent the following message(?: \([^\n()]*\))?:\n)/iu;

/** Whether a reminder holds what a person or another agent said; used without a log. */
export function isWords(text: string): boolean {
  return WORDS.test(text.trimStart());
}

/** Blocks of a request that have a reminder's text and are none: the first, the second and so on with that text. */
export type Quotes = ReadonlyMap<string, ReadonlySet<number>>;

/** The request without the texts that `isDelivered` recognises, and their images. `quotes` stay. */
export function strip<Body>(
  dialect: Dialect<Body>,
  body: Body,
  isDelivered: IsDelivered,
  quotes: Quotes = new Map(),
): Body {
  const isQuote = quoteFinder(quotes);
  const blocks = dialect.messages(body).flatMap((message, index) => {
    const all = readSafely(dialect, message, index).filter((block) => !isQuote(block));
    return all.filter((block, at) => isReminderBlock(block, isDelivered) || isItsImage(all, at, isDelivered));
  });
  const positions = blocks.map(({ message, index }): Position => ({ message, index }));
  return positions.length === 0 ? body : dialect.remove(body, positions);
}

/** By text and not by place, as reminders may be put between them. Blocks at `positions` are quotes. */
export function quotesIn<Body>(dialect: Dialect<Body>, body: Body, positions: readonly Position[]): Quotes {
  const quotes = new Map<string, Set<number>>();
  if (positions.length === 0) return quotes;
  const places = new Set(positions.map(({ message, index }) => `${message}.${index}`));
  const counts = new Map<string, number>();
  for (const [index, message] of dialect.messages(body).entries())
    for (const block of readSafely(dialect, message, index)) {
      const text = block.text?.trim() ?? "";
      const count = (counts.get(text) ?? 0) + 1;
      counts.set(text, count);
      if (!places.has(`${index}.${block.index}`)) continue;
      quotes.set(text, (quotes.get(text) ?? new Set()).add(count));
    }
  return quotes;
}

function quoteFinder(quotes: Quotes): (block: HistoryBlock) => boolean {
  const counts = new Map<string, number>();
  return ({ text }) => {
    const found = text === undefined ? undefined : quotes.get(text.trim());
    if (found === undefined) return false;
    const count = (counts.get((text as string).trim()) ?? 0) + 1;
    counts.set((text as string).trim(), count);
    return found.has(count);
  };
}

function isReminderBlock({ role, kind, text }: HistoryBlock, isDelivered: IsDelivered): boolean {
  return role !== "assistant" && kind === "text" && text !== undefined && isDelivered(text.trim());
}

/** Images of a reminder follow its text in a message that holds nothing else. */
function isItsImage(blocks: readonly HistoryBlock[], index: number, isDelivered: IsDelivered): boolean {
  if (blocks[index]?.kind !== "image") return false;
  return (
    blocks.every((block) => block.kind === "image" || isReminderBlock(block, isDelivered)) &&
    blocks[0]?.kind === "text"
  );
}

function readSafely<Body>(dialect: Dialect<Body>, message: unknown, index: number): HistoryBlock[] {
  return typeof message === "object" && message !== null ? dialect.read(message, index) : [];
}
