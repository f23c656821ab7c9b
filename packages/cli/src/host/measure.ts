// The rehearsal measured from what the server received: prefixes, reminders, what was lost or said twice.

import { anthropicMessages, estimateTokens, isReminder, type Reminder } from "sotto";
import type { Expected } from "./expectations.ts";
import type { Message, Received, RequestBody } from "./rehearsal-server.ts";

/** A reminder as the engine handed it out, and the view it was for. */
export interface Given extends Pick<Reminder, "id" | "type" | "text"> {
  view: number;
}

export interface Evidence {
  /** Requests of turns, each with the view it belongs to. */
  requests: readonly (Received & { view: number })[];
  given: readonly Given[];
  expected: readonly Expected[];
}

export interface Measured {
  requests: number;
  failed: number;
  retriedWithSameBytes: number;
  prefix: { kept: number; broken: number; afterCompaction: number };
  types: { type: string; said: number; tokens: number }[];
  reminderTokens: number;
  happened: number;
  lost: number;
  saidTwice: number;
  /** Said although it was no longer true. */
  stale: number;
  forgedTags: number;
}

export function measure({ requests, given, expected }: Evidence): Measured {
  const views = [...new Set(requests.map(({ view }) => view))];
  const steps = requests
    .slice(1)
    .map((request, index) => ({ before: requests[index] as (typeof requests)[number], request }));
  const sameView = steps.filter(({ before, request }) => before.view === request.view);
  const retries = steps.filter(({ before }) => before.status !== 200);
  const kept = sameView.filter(({ before, request }) => continues(before.body, request.body)).length;
  const tallies = views.map((view) => tally(view, { requests, given, expected }));
  const types = views.flatMap((view) => typesSaid(lastBlocks(requests, view), given));
  const byType = [...Map.groupBy(types, ({ type }) => type)].map(([type, list]) => ({
    type,
    said: list.length,
    tokens: sum(list.map(({ tokens }) => tokens)),
  }));
  return {
    requests: requests.length,
    failed: requests.filter(({ status }) => status !== 200).length,
    retriedWithSameBytes: retries.filter(({ before, request }) => before.raw === request.raw).length,
    prefix: { kept, broken: sameView.length - kept, afterCompaction: steps.length - sameView.length },
    types: byType,
    reminderTokens: sum(byType.map(({ tokens }) => tokens)),
    happened: expected.filter(({ gone }) => !gone).length,
    lost: sum(tallies.map(({ lost }) => lost)),
    saidTwice: sum(tallies.map(({ twice }) => twice)),
    stale: sum(tallies.map(({ stale }) => stale)),
    forgedTags: sum(views.map((view) => forged(lastBlocks(requests, view)))),
  };
}

/** Whether a request begins with all of the one before: what a provider's prompt cache asks. */
export function continues(before: RequestBody, after: RequestBody): boolean {
  const head = ({ system, tools }: RequestBody) => JSON.stringify([system, tools]);
  return (
    head(before) === head(after) &&
    before.messages.every(
      (message, index) => JSON.stringify(message) === JSON.stringify(after.messages[index]),
    )
  );
}

/** The reminders in the last request of a view that was answered: all that was ever said in it. */
function lastBlocks(requests: Evidence["requests"], view: number): string[] {
  const last = requests.findLast((request) => request.view === view && request.status === 200);
  return (last?.body.messages ?? []).flatMap((message) =>
    isReminder(anthropicMessages, message) ? textsOf(message) : [],
  );
}

function tally(
  view: number,
  { requests, given, expected }: Evidence,
): { lost: number; twice: number; stale: number } {
  const blocks = lastBlocks(requests, view);
  const found = (marker: string) => blocks.filter((block) => block.includes(marker)).length;
  const result = { lost: 0, twice: 0, stale: 0 };
  const compare = (marker: string, wanted: number) => {
    result.lost += Math.max(0, wanted - found(marker));
    result.twice += Math.max(0, found(marker) - wanted);
  };
  const here = expected.filter((one) => one.view === view);
  const due = Map.groupBy(
    here.filter(({ gone }) => !gone),
    ({ marker }) => marker,
  );
  for (const [marker, list] of due) compare(marker, list.length);
  for (const { marker } of here.filter((one) => one.gone && !due.has(one.marker)))
    result.stale += found(marker);
  // What was told in an earlier view is not told again.
  for (const { marker } of expected.filter((one) => one.view < view && !due.has(one.marker)))
    result.twice += found(marker);
  const ids = new Map(given.filter((one) => one.view === view).map(({ id, text }) => [id, text]));
  const texts = Map.groupBy(ids.values(), (text) => text);
  for (const [text, list] of texts) {
    const times = blocks.filter((block) => block === text).length;
    result.lost += Math.max(0, list.length - times);
    result.twice += Math.max(0, times - list.length);
  }
  return result;
}

function typesSaid(blocks: readonly string[], given: readonly Given[]): { type: string; tokens: number }[] {
  const types = new Map(given.map(({ text, type }) => [text, type]));
  return blocks.map((text) => ({ type: types.get(text) ?? "unknown", tokens: estimateTokens(text) }));
}

const TAGS = /<\/?(?:system-reminder|teammate-message)\b/gu;

/** Tags beyond the two that stand around a reminder. */
function forged(blocks: readonly string[]): number {
  return sum(blocks.map((block) => Math.max(0, [...block.matchAll(TAGS)].length - 2)));
}

function textsOf({ content }: Message): string[] {
  return typeof content === "string" ? [content] : content.map(({ text }) => String(text));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
