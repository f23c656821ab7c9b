// How a client comes by the body of a request: the same objects as before, new ones, parsed ones, keys in any order.

import type { Habits } from "./plan.ts";
import { type Random, randomFrom } from "./random.ts";
import type { Talk } from "./talk.ts";
import { type Wire, type WireBody, type WireMessage, type Written, writeTalk } from "./wires.ts";

export interface BodyOptions {
  wire: Wire;
  talk: Talk;
  habits: Pick<Habits, "bodies">;
  made: Map<string, WireMessage>;
  seed: number;
}

export function bodyFor({ wire, talk, habits, made, seed }: BodyOptions): Written {
  const written = writeTalk(wire, talk);
  const shape = {
    fresh: same,
    same,
    parsed: (body: WireBody) => JSON.parse(JSON.stringify(body)),
    reordered,
  };
  const body = shape[habits.bodies](written.body, randomFrom(seed)) as WireBody;
  const list = body[wire.field] as WireMessage[];
  const kept = habits.bodies === "same" ? list.map((message) => before(message, made)) : list;
  const messages = written.messages.map((message, at) => ({ ...message, message: kept[at] as WireMessage }));
  return { body: { ...body, [wire.field]: kept }, messages };
}

function before(message: WireMessage, made: Map<string, WireMessage>): WireMessage {
  const key = JSON.stringify(message);
  const known = made.get(key) ?? message;
  made.set(key, known);
  return known;
}

const same = (body: WireBody): WireBody => body;

function reordered(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((inner) => reordered(inner, random));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => ({ key, inner, rank: random.next() }));
  entries.sort((a, b) => a.rank - b.rank);
  return Object.fromEntries(entries.map(({ key, inner }) => [key, reordered(inner, random)]));
}
