// The requests that a gateway has recorded in a session, put together again.

import type { Entry, Store } from "sotto/extend";
import { readLog } from "sotto/internal";

export interface RecordedRequest {
  id: string;
  at: string;
  dialect: string;
  /** As the client sent it, without reminders. Null where the store has lost a part. */
  body: Record<string, unknown>;
}

export async function* recordedRequests(store: Store, session: string): AsyncGenerator<RecordedRequest> {
  // The hashes of each one's messages, for those that continue it.
  const messagesOf = new Map<string, readonly string[]>();
  const partOf = createParts(store);
  for await (const { entries } of readLog(store, session))
    for (const entry of entries) {
      const event = recordedIn(entry);
      if (event === undefined) continue;
      const { id, base, kept, dialect, field } = event;
      const before = base === undefined ? [] : (messagesOf.get(base) ?? []);
      const hashes = [...before.slice(0, kept), ...event.messages];
      messagesOf.set(id, hashes);
      const rest = (await partOf(event.rest)) as Record<string, unknown> | null;
      const messages: unknown[] = [];
      for (const hash of hashes) messages.push(await partOf(hash));
      yield { id, at: entry.at, dialect, body: { ...rest, [field]: messages } };
    }
}

function recordedIn(entry: Entry) {
  return entry.kind === "event" && entry.event.type === "request_recorded" ? entry.event : undefined;
}

function createParts(store: Store): (hash: string) => Promise<unknown> {
  const known = new Map<string, unknown>();
  return async (hash) => {
    if (known.has(hash)) return known.get(hash);
    const bytes = await store.getBlob(hash);
    const part: unknown = bytes === undefined ? null : JSON.parse(new TextDecoder().decode(bytes));
    known.set(hash, part);
    return part;
  };
}
