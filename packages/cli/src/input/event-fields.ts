// Events in the input, source events included: the caller cannot add sources. All are checked before any is recorded;
// errors name the path of the event.

import { createMemoryStore, createSession } from "sotto";
import type { Store, StoredEvent } from "sotto/extend";
import { parseEvent, recordAny } from "sotto/internal";
import { wrongUse } from "sotto-agent/terminal";
import { list } from "./fields.ts";

export function toEvents(given: unknown, where: string): StoredEvent[] {
  return list(given, where).map((event, index) => toEvent(event, `${where}.${index}`));
}

export function toEvent(given: unknown, where: string): StoredEvent {
  try {
    return parseEvent(given);
  } catch (error) {
    throw wrongUse(eventWords(error, given, where), "invalid_event");
  }
}

/** The library's message starts with the event's type; the caller needs its path. */
export function eventWords(error: unknown, event: unknown, where: string): string {
  const { type } = (event ?? {}) as { type?: unknown };
  const { message } = error as Error;
  const root = ["event", String(type)].find(
    (name) => message.startsWith(`${name}.`) || message.startsWith(`${name}:`),
  );
  return root === undefined ? `${where}: ${message}` : `${where}${message.slice(root.length)}`;
}

export interface LocatedEvents {
  events: readonly StoredEvent[];
  /** Path of an event in the input. */
  pathOf(index: number): string;
}

/** Tries events that a session would reject only while recording, in a throwaway session. */
export async function checkChanges({ events, pathOf: place }: LocatedEvents): Promise<void> {
  if (!events.some(isChange)) return;
  const trial = createSession({
    cwd: "/",
    config: { enabled: false },
    configFiles: { read: false },
    store: createMemoryStore(),
  });
  try {
    for (const [index, event] of events.entries()) if (isChange(event)) await tried(index, event);
  } finally {
    await trial.close();
  }

  async function tried(index: number, event: StoredEvent): Promise<void> {
    try {
      await recordAny(trial, event);
    } catch (error) {
      throw wrongUse(eventWords(error, event, place(index)), "invalid_event");
    }
  }
}

function isChange({ type }: StoredEvent): boolean {
  return type === "config_changed" || type === "noted";
}

/** Without a session id there are no turns to rewind to. */
export async function checkRewinds(
  { events, pathOf: place }: LocatedEvents,
  { store, id }: { store: Store; id: string | undefined },
): Promise<void> {
  if (!events.some((event) => event.type === "rewound")) return;
  const { entries } = id === undefined ? { entries: [] } : await store.read(id, 0);
  const last = entries.reduce(
    (turn, entry) => (entry.kind === "turn" ? Math.max(turn, entry.turn) : turn),
    0,
  );
  for (const [index, event] of events.entries())
    if (event.type === "rewound" && event.toTurn > last)
      throw wrongUse(
        `${place(index)}.toTurn: ${event.toTurn} is past the last turn, ${last}`,
        "invalid_event",
      );
}
