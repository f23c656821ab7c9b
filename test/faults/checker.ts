// What the provider received, held against what was acknowledged: nothing lost, nothing twice, nothing moved.

import { readFileSync } from "node:fs";
import { type MeasuredDialect, prefixOf } from "../support/prefix.ts";
import { type Label, labelOf } from "./asks.ts";
import { countCanaries } from "./canaries.ts";
import type { HostMode } from "./host.ts";
import type { Message } from "./wire.ts";

export interface Received {
  label: Label;
  raw: string;
  body: { messages: Message[] };
  status: number | null;
  violations: string[];
}

export interface Finding {
  problems: string[];
  requests: number;
  /** Requests that the engine gave back as they were. */
  degraded: number;
  /** Pairs of requests of which one continues the other. */
  continued: number;
  delivered: number;
  /** Recorded, never acknowledged, delivered all the same: once, as it should be. */
  unsure: number;
}

/** The provider's log by session, in the order of arrival. */
export function readReceived(log: string): Map<string, Received[]> {
  const all = readFileSync(log, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line): Received => {
      const { raw, status, violations } = JSON.parse(line) as Received;
      const body = JSON.parse(raw);
      return { label: labelOf(body), raw, body, status, violations };
    });
  return Map.groupBy(all, ({ label }) => label.session);
}

export interface CheckOptions {
  dialect: MeasuredDialect;
  mode: HostMode;
  received: readonly Received[];
  acknowledged: ReadonlySet<string>;
  intended: ReadonlySet<string>;
}

export function checkSession(options: CheckOptions): Finding {
  const { received, acknowledged, intended } = options;
  const problems = [...received.flatMap(rulesBroken), ...saidTwice(received)];
  const last = received.findLast(({ label, status }) => status === 200 && !label.ask.startsWith("cut-"));
  const shown = countCanaries(JSON.stringify(last?.body.messages ?? []));
  for (const word of acknowledged)
    if (!shown.has(word)) problems.push(`${word} was acknowledged and is not in the last request`);
  for (const word of shown.keys())
    if (!intended.has(word)) problems.push(`${word} is in the last request and was never recorded`);
  const { moved, continued } = prefixesBroken(options);
  return {
    problems: [...problems, ...moved],
    requests: received.length,
    degraded: received.filter(({ label }) => label.degraded).length,
    continued,
    delivered: shown.size,
    unsure: [...shown.keys()].filter((word) => !acknowledged.has(word)).length,
  };
}

function rulesBroken({ label, violations }: Received): string[] {
  return violations.map((violation) => `${nameOf(label)} breaks a rule: ${violation}`);
}

/** Each canary once, with the first request that doubles it. */
function saidTwice(received: readonly Received[]): string[] {
  const doubled = new Map<string, string>();
  for (const { label, body } of received)
    for (const [word, count] of countCanaries(JSON.stringify(body.messages)))
      if (count > 1 && !doubled.has(word)) doubled.set(word, `${nameOf(label)} says ${word} ${count} times`);
  return [...doubled.values()];
}

interface Seen {
  label: Label;
  own: string[];
  prefix: string;
}

/** Each request against the one before it with which it shares the longest history. */
function prefixesBroken({ dialect, mode, received }: CheckOptions) {
  const moved: string[] = [];
  const seen: Seen[] = [];
  let continued = 0;
  for (const { label, body } of received) {
    // A request that went out as it was given shows no reminders: that is said, and the next one has them again.
    if (label.degraded) continue;
    const now: Seen = { label, own: ownMessages(body.messages), prefix: prefixOf(dialect, body) };
    const before = seen.filter((earlier) => continues(now, earlier, mode)).reduce(closest, undefined);
    if (before !== undefined) continued++;
    if (before !== undefined && !now.prefix.startsWith(before.prefix)) moved.push(movedAt(now, before));
    seen.push(now);
  }
  return { moved, continued };
}

function closest(best: Seen | undefined, one: Seen): Seen {
  return best === undefined || one.own.length >= best.own.length ? one : best;
}

/** A host that places reminders itself is asked only to keep those of calls that were answered. */
function continues({ own }: Seen, earlier: Seen, mode: HostMode): boolean {
  if (!earlier.own.every((message, at) => message === own[at])) return false;
  const { life, call } = earlier.label;
  return mode !== "placed" || (own[earlier.own.length]?.includes(`Answer ${life}.${call} for`) ?? false);
}

function movedAt(now: Seen, before: Seen): string {
  let at = 0;
  while (now.prefix[at] === before.prefix[at]) at++;
  const part = ({ prefix }: Seen) => `…${prefix.slice(Math.max(0, at - 60), at + 120)}…`;
  return `${nameOf(now.label)} does not begin with ${nameOf(before.label)}: ${part(before)} became ${part(now)}`;
}

/** The host's own words: what is left without blocks that are reminders. */
function ownMessages(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => {
    const { content } = message;
    if (typeof content === "string") return isReminder(content) ? [] : [JSON.stringify(message)];
    const blocks = (content ?? []).filter(({ text }) => !isReminder(text));
    if (Array.isArray(content) && blocks.length === 0) return [];
    return [JSON.stringify({ ...message, content: blocks.map(({ cache_control: _, ...block }) => block) })];
  });
}

function isReminder(text: unknown): boolean {
  return typeof text === "string" && /^<(?:system-reminder|teammate-message)[ >]/u.test(text);
}

function nameOf({ session, life, call, ask }: Label): string {
  return `request ${session}/${life}.${call} (${ask})`;
}
