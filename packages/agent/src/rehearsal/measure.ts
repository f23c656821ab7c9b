// Measures a rehearsal by its requests: prefixes, cache reuse, reminders.

import { estimateTokens } from "sotto/internal";
import {
  type Continuation,
  commonLength,
  continuation,
  promptBlocks,
  remindersIn,
  type TypeOf,
  tokensOf,
} from "./requests.ts";
import type { KeptRequest } from "./start-rehearsal.ts";

export interface Measured {
  requests: number;
  /** Requests without an answer: refused, broken off, or cancelled by the client. */
  unanswered: number;
  /** Requests after one without an answer. */
  retries: { sameBytes: number; others: number };
  prefix: Prefix;
  conversations: { name: string; requests: number; prefix: Prefix }[];
  breaks: Break[];
  /** In tokens, over all answered requests; `read`: shared with the previous answered request of the conversation. */
  cache: { input: number; read: number; share: number };
  /** Reminders in answered requests, without those of summaries. */
  reminders: SentReminder[];
  /** Reminders by type, in the order of their first appearance. */
  types: { type: string; said: number; tokens: number }[];
  reminderTokens: number;
  /** Reminders that are missing in the next request, although nothing was rewritten. */
  takenOut: number;
  /** Tags inside reminders that could be read as the start or the end of one. */
  forgedTags: number;
}

/** How requests continue the previous one of their conversation; `rewritten`: compacted, cleared or rewound. */
export type Prefix = Record<Continuation | "rewritten", number>;

export interface Break {
  conversation: string;
  /** The index of the request among all. */
  request: number;
  where: string;
}

export interface SentReminder {
  conversation: string;
  /** The index of the first request that had it. */
  request: number;
  type: string;
  tokens: number;
  text: string;
}

export interface MeasureOptions {
  typeOf?: TypeOf | undefined;
}

export function measure(requests: readonly KeptRequest[], { typeOf }: MeasureOptions = {}): Measured {
  const steps = stepsOf(requests);
  const conversations = [...Map.groupBy(steps, ({ request }) => request.conversation)];
  const reminders = conversations
    .flatMap(([name, own]) => (name === SUMMARY ? [] : saidIn(own, typeOf)))
    .sort((a, b) => a.request - b.request);
  const retries = steps.filter(({ before }) => before !== undefined && before.outcome !== "answered");
  const sameBytes = retries.filter(({ before, request }) => before?.raw.equals(request.raw)).length;
  return {
    requests: requests.length,
    unanswered: requests.filter(({ outcome }) => outcome !== "answered").length,
    retries: { sameBytes, others: retries.length - sameBytes },
    prefix: prefixOf(steps),
    conversations: conversations.map(([name, own]) => ({
      name,
      requests: own.length,
      prefix: prefixOf(own),
    })),
    breaks: steps.flatMap(breakOf),
    cache: cacheOf(conversations.map(([, own]) => own)),
    reminders,
    types: [...Map.groupBy(reminders, ({ type }) => type)].map(([type, list]) => ({
      type,
      said: list.length,
      tokens: sum(list.map(({ tokens }) => tokens)),
    })),
    reminderTokens: sum(reminders.map(({ tokens }) => tokens)),
    takenOut: sum(
      steps.map(({ before, request, goesOn }) =>
        before === undefined || goesOn === "rewritten" ? 0 : beyond(remindersIn(before.body), request).length,
      ),
    ),
    forgedTags: sum(steps.flatMap(newReminders).map(forged)),
  };
}

interface Step {
  index: number;
  request: KeptRequest;
  /** The previous request of the same conversation. */
  before: KeptRequest | undefined;
  goesOn: keyof Prefix | undefined;
}

const SUMMARY = "summary";

/** Each request of the summariser starts from scratch. */
function stepsOf(requests: readonly KeptRequest[]): Step[] {
  return requests.map((request, index) => {
    const previous = requests.findLastIndex(
      ({ conversation }, at) => at < index && conversation === request.conversation,
    );
    const before = request.conversation === SUMMARY ? undefined : requests[previous];
    if (before === undefined) return { index, request, before, goesOn: undefined };
    const summed = requests
      .slice(previous, index)
      .some(({ conversation, outcome }) => conversation === SUMMARY && outcome === "answered");
    const anew = request.rewritten !== undefined || (summed && startOf(before) !== startOf(request));
    return { index, request, before, goesOn: anew ? "rewritten" : continuation(before.body, request.body) };
  });
}

function startOf({ body }: KeptRequest): string | undefined {
  return promptBlocks({ model: "", messages: body.messages })[0];
}

function prefixOf(steps: readonly Step[]): Prefix {
  const prefix: Prefix = { kept: 0, extended: 0, broken: 0, rewritten: 0 };
  for (const { goesOn } of steps) if (goesOn !== undefined) prefix[goesOn]++;
  return prefix;
}

function breakOf({ before, request, goesOn, index }: Step): Break[] {
  if (goesOn !== "broken" || before === undefined) return [];
  const [was, is] = [promptBlocks(before.body), promptBlocks(request.body)];
  const at = commonLength(was, is);
  const where = `block ${at + 1} of ${was.length}: ${shown(was[at])} became ${shown(is[at])}`;
  return [{ conversation: request.conversation, request: index, where }];
}

function shown(block: string | undefined): string {
  if (block === undefined) return "nothing";
  return block.length > 100 ? `${block.slice(0, 100)}…` : block;
}

function cacheOf(conversations: readonly (readonly Step[])[]): Measured["cache"] {
  let [input, read] = [0, 0];
  for (const steps of conversations) {
    let known: string[] = [];
    for (const { request } of steps) {
      if (request.outcome !== "answered") continue;
      const blocks = promptBlocks(request.body);
      input += tokensOf(blocks);
      read += tokensOf(blocks.slice(0, commonLength(blocks, known)));
      known = blocks;
    }
  }
  return { input, read, share: input === 0 ? 0 : read / input };
}

/** Compares each answered request with the answered one before it. */
function saidIn(steps: readonly Step[], typeOf: TypeOf | undefined): SentReminder[] {
  let before: KeptRequest | undefined;
  return steps.flatMap(({ index, request, goesOn }) => {
    // A failed attempt may have been the first after a summary.
    if (goesOn === "rewritten") before = undefined;
    if (request.outcome !== "answered") return [];
    const said = remindersIn(request.body);
    const fresh = before === undefined ? said : beyond(said, before);
    before = request;
    return fresh.map((text) => ({
      conversation: request.conversation,
      request: index,
      type: typeOf?.(text) ?? "unknown",
      tokens: estimateTokens(text),
      text,
    }));
  });
}

/** Answered or not. */
function newReminders({ request, before, goesOn }: Step): string[] {
  const said = remindersIn(request.body);
  return before === undefined || goesOn === "rewritten" ? said : beyond(said, before);
}

/** The reminders that the other request lacks; repeated ones are counted. */
function beyond(reminders: readonly string[], other: KeptRequest): string[] {
  const there = remindersIn(other.body);
  return reminders.filter((text) => {
    const at = there.indexOf(text);
    if (at >= 0) there.splice(at, 1);
    return at < 0;
  });
}

const TAG = /<\/?system-reminder\b/gu;

/** Tags other than the reminder's own two. */
function forged(text: string): number {
  const own = text.startsWith("<system-reminder") ? 2 : 0;
  return Math.max(0, [...text.matchAll(TAG)].length - own);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
