// Writing events: completed, checked against the log, and stamped.

import { completeEvent } from "./complete-event.ts";
import type { SessionContext } from "./context.ts";
import { SottoError } from "../platform/errors.ts";
import type { SessionEvent } from "../facts/events.ts";
import { stamp } from "../log/journal.ts";
import type { NewEntry } from "../log/entries.ts";
import type { Source } from "../sources/source.ts";
import { newNames } from "../render/tags.ts";

/** Begun at once, while things are as the host saw them. A source that fails leaves the event as it is. */
export async function prepareEvent(event: SessionEvent, sources: readonly Source[]): Promise<SessionEvent> {
  let complete = event;
  for (const source of sources)
    if (source.prepare !== undefined) complete = await source.prepare(complete).catch(() => complete);
  return complete;
}

/** All of them, or none. */
export async function writeEvents(context: SessionContext, events: readonly SessionEvent[]): Promise<void> {
  const complete: SessionEvent[] = [];
  for (const event of events) {
    await checkRewind(event, context);
    complete.push(await completeEvent(event, context));
  }
  await appendEntries(context, complete);
}

export async function appendEntries(
  { journal, platform, owner }: SessionContext,
  events: readonly SessionEvent[],
): Promise<void> {
  const at = new Date(platform.now()).toISOString();
  const entries = events.map((event): NewEntry => stamp(at, { kind: "event" as const, owner, event }));
  await journal.append({ entries });
}

/** Before anything bears a new name the log knows it, so that it stays recognised whatever config says later. */
export async function noteTags(context: SessionContext): Promise<void> {
  const names = newNames(context.settings.tags, context.journal.state.tagNames);
  if (names.length > 0) await appendEntries(context, [{ type: "tags_named", names }]);
}

async function checkRewind(event: SessionEvent, { journal }: SessionContext): Promise<void> {
  if (event.type !== "rewound" || event.toTurn <= journal.state.turn) return;
  // Another process may have taken that turn.
  await journal.refresh();
  if (event.toTurn <= journal.state.turn) return;
  throw new SottoError(
    "invalid_event",
    `rewound.toTurn: ${event.toTurn} is past the last turn, ${journal.state.turn}`,
  );
}
