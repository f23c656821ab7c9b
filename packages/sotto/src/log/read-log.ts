// Reads a session's entries page by page, so that a long log takes no more memory than a short one.

import type { EventOf, EventType } from "../facts/events.ts";
import type { Entry, Store } from "./entries.ts";
import { entryProblem } from "./entry-problem.ts";

export interface LogPage {
  entries: Entry[];
  /** Entries that could not be read back, or are malformed. */
  damaged: { seq: number; problem: string }[];
  last: number;
}

const PAGE = 500;

export async function* readLog(store: Store, session: string, after = 0): AsyncGenerator<LogPage> {
  for (let from = after; ; ) {
    const page = await store.read(session, from, PAGE);
    if (page.last === from) return;
    const found = page.entries.map((entry) => ({ entry, problem: entryProblem(entry) }));
    const malformed = found.flatMap(({ entry: { seq }, problem }) =>
      problem === undefined ? [] : [{ seq, problem }],
    );
    yield {
      entries: found.flatMap(({ entry, problem }) => (problem === undefined ? [entry] : [])),
      damaged: [...page.damaged, ...malformed].sort((a, b) => a.seq - b.seq),
      last: page.last,
    };
    from = page.last;
  }
}

/** The whole log, for readers that need it at once. */
export async function readWhole(store: Store, session: string): Promise<Omit<LogPage, "last">> {
  const whole: Omit<LogPage, "last"> = { entries: [], damaged: [] };
  for await (const { entries, damaged } of readLog(store, session)) {
    for (const entry of entries) whole.entries.push(entry);
    for (const one of damaged) whole.damaged.push(one);
  }
  return whole;
}

/** The events of one type in a session's log, oldest first. */
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
