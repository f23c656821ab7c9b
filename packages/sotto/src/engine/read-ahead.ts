// Reads a long history in parts before the turn needs it: the thread is free for other work in between.

import { type History, OBJECT_COST, positionOf, printsOf, readHistory } from "../history/history.ts";
import { sumsOf } from "../history/sha-sums.ts";
import type { State } from "../log/state.ts";
import type { Engine } from "./engine.ts";
import { type Request, reminderTexts } from "./read-request.ts";

// In characters: a part takes about 20 ms.
const PART = 2_000_000;
// No message of a real conversation is deeper.
const DEEPEST = 100;

/** Whether the request has so much new that the work on it has to be divided. */
export function isLong({ dialect, body, shared }: Request): boolean {
  const messages = dialect.messages(body);
  // Each takes as much at least.
  if ((messages.length - shared) * OBJECT_COST >= PART) return true;
  let room = PART;
  for (let index = shared; index < messages.length && room >= 0; index++)
    room = roomBehind(messages[index], room, 0);
  return room < 0;
}

/** What is left of the room. Each value takes some: objects may refer back to each other. */
function roomBehind(value: unknown, room: number, depth: number): number {
  if (typeof value === "string") return room - value.length;
  if (typeof value !== "object" || value === null) return room - 1;
  let left = room - OBJECT_COST;
  if (ArrayBuffer.isView(value) || depth > DEEPEST) return left;
  // `for…in` takes ten times as long for a list.
  if (Array.isArray(value))
    for (let index = 0; index < value.length && left >= 0; index++)
      left = roomBehind(value[index], left, depth + 1);
  else
    for (const key in value) {
      if (left < 0) break;
      left = roomBehind((value as Readonly<Record<string, unknown>>)[key], left, depth + 1);
    }
  return left;
}

/** Gives other work of the thread its turn. */
export function pause({ platform }: Engine): Promise<void> {
  return new Promise((resolve) => platform.timer(0, resolve));
}

/** How many blocks a branch has had, all of them unchanged: the log gets a print of each block behind these. */
function knownIn(history: History, { branches }: State): number {
  const latest = Object.values(branches).map(({ heads }) => heads.at(-1)?.anchor);
  return latest.reduce((most, anchor) => Math.max(most, (anchor && positionOf(history, anchor)) ?? 0), 0);
}

/** What is read here is not read again: it is the beginning of the history that the turn reads. */
export async function readAhead(engine: Engine, request: Request): Promise<void> {
  const { journal, platform, tags } = engine;
  const { state } = journal;
  const { dialect, body } = request;
  // What the provider keeps is not in the request, and the rest is short.
  if (dialect.kept?.(body) !== undefined) return;
  const sums = sumsOf(state, platform.hash);
  const options = {
    ...request,
    sums,
    reminders: reminderTexts(state, tags.wrapping),
    most: PART,
  };
  const count = dialect.messages(body).length;
  if (sums.name === "sha-256") platform.hashMuch();
  let history: History | undefined = engine.history;
  const parts: number[] = [];
  do {
    history = readHistory({ ...options, previous: history });
    parts.push(history.end);
    await pause(engine);
  } while (history.ids.length < count);
  engine.history = history;
  let printed = knownIn(history, state);
  for (const end of parts) {
    if (end <= printed) continue;
    printsOf(history, printed, end);
    printed = end;
    await pause(engine);
  }
}
