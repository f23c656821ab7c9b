// Whether a request that goes out begins as the last one of its conversation did: only then does the provider's cache
// serve it. The engine has compared the histories already; here are only the places of reminders, and what comes before
// the history.

import { hash } from "node:crypto";
import type { Turn } from "sotto";
import { type Placed, placedIn } from "sotto/internal";

/** `broken_by_client`: the client changed its own history, and up to there both are the same. */
export type Prefix = "kept" | "broken_by_client" | "broken";

export interface Prefixes {
  /** Undefined if it is the first one, or if the provider keeps the history. */
  of(session: string, turn: Turn, body: Readonly<Record<string, unknown>>): Prefix | undefined;
  /** The request goes out without any reminder. */
  without(session: string): Prefix | undefined;
}

interface Sent extends Pick<Placed, "end" | "reminders"> {
  head: string;
}

const REMEMBERED = 2000;

export function createPrefixes(): Prefixes {
  // From the longest unused to the latest.
  const last = new Map<string, Sent>();
  const without = (session: string): Prefix | undefined =>
    (last.get(session)?.reminders.length ?? 0) > 0 ? "broken" : undefined;
  return {
    of(session, turn, body) {
      const placed = placedIn(turn);
      if (placed === undefined) return turn.body === body ? without(session) : undefined;
      const before = last.get(session);
      const sent = { end: placed.end, reminders: placed.reminders, head: headOf(body) };
      last.delete(session);
      last.set(session, sent);
      if (last.size > REMEMBERED) last.delete(last.keys().next().value as string);
      return before && compared(before, { ...placed, ...sent });
    },
    without,
  };
}

function compared(before: Sent, now: Sent & Placed): Prefix {
  if (before.head !== now.head) return "broken_by_client";
  const isWhole = now.holds(before.end);
  // What stood in the part that is the same must stand there still, and nothing new before it.
  const stood = isWhole
    ? before.reminders
    : before.reminders.filter(({ anchor, at }) => anchor?.blocks === at && now.holds(anchor));
  const end = isWhole ? before.end.blocks : (stood.at(-1)?.at ?? 0);
  const isSame =
    stood.every((one, index) => isAmong(now.reminders, one, index)) &&
    now.reminders.every((one, index) => one.at >= end || isAmong(before.reminders, one, index));
  return isSame ? (isWhole ? "kept" : "broken_by_client") : "broken";
}

/** `index`: where it nearly always is. */
function isAmong(all: Placed["reminders"], one: PlacedReminder, index: number): boolean {
  const isIt = (other: PlacedReminder | undefined) => other?.seq === one.seq && other.at === one.at;
  return isIt(all[index]) || all.some(isIt);
}

type PlacedReminder = Placed["reminders"][number];

/** Tools and the system prompt, as far as they are not in the history. */
function headOf(body: Readonly<Record<string, unknown>>): string {
  const parts = [body.tools, body.system, body.instructions, body.systemInstruction, body.system_instruction];
  return parts
    .map((part) => (typeof part === "object" && part !== null ? digestOf(part) : short(part)))
    .join();
}

/** A body whose fields are the same has the same objects. */
const digests = new WeakMap<object, string>();

function digestOf(part: object): string {
  const digest = digests.get(part) ?? short(JSON.stringify(part, withoutBreakpoints));
  digests.set(part, digest);
  return digest;
}

/** Clients move these: they say where the cache may end, and are no part of what is cached. */
function withoutBreakpoints(key: string, value: unknown): unknown {
  return key === "cache_control" ? undefined : value;
}

function short(part: unknown): string {
  return part === undefined ? "" : hash("sha1", String(part)).slice(0, 16);
}
