// The events of one type that a session's log has, oldest first.

import type { EventOf, EventType, Store } from "sotto";
import { readLog } from "./read-log.ts";

export async function readEvents<T extends EventType>(
  store: Store,
  session: string,
  type: T,
): Promise<EventOf<T>[]> {
  const found: EventOf<T>[] = [];
  for await (const { entries } of readLog(store, session))
    for (const entry of entries)
      if (entry.kind === "event" && entry.event.type === type) found.push(entry.event as EventOf<T>);
  return found;
}
