// One session's log, open: its entries folded into the state, what others append taken in, snapshots kept.

import { errorText } from "./errors.ts";
import { parseEvent } from "./events.ts";
import { type Appended, type Batch, ENTRY_VERSION, type Entry, type Store } from "./log.ts";
import { isRewind, refold } from "./refold.ts";
import { applyEntry, initialState, STATE_VERSION, type State } from "./state.ts";

const SNAPSHOT_EVERY = 200;
const DAMAGED_KEPT = 100;

export interface Journal {
  readonly state: State;
  /** Entries that could not be read or folded: skipped, the session still opens. */
  readonly damaged: { seq: number; problem: string }[];
  /** Takes in what others appended since. */
  refresh(): Promise<void>;
  append(batch: Batch): Promise<Appended>;
}

/** Everything in an entry but its kind's own fields. */
export function stamp<T extends object>(at: string, rest: T): T & { v: number; at: string } {
  return { ...rest, v: ENTRY_VERSION, at };
}

export async function openJournal(store: Store, session: string): Promise<Journal> {
  const damaged: Journal["damaged"] = [];
  let state = initialState();
  let snapshotSeq = 0;

  const note = (problems: readonly { seq: number; problem: string }[]) =>
    damaged.push(...problems.slice(0, DAMAGED_KEPT - damaged.length));
  const fold = (entry: Entry) => {
    const before = state.seq;
    try {
      applyEntry(state, checked(entry));
    } catch (error) {
      note([{ seq: entry.seq, problem: errorText(error) }]);
    }
    state.seq = Math.max(before, entry.seq);
  };
  const rebuild = async () => {
    const all = await store.read(session, 0);
    damaged.length = 0;
    note(all.damaged);
    state = refold(all.entries);
    state.seq = all.last;
  };
  const refresh = async () => {
    const { entries, damaged: problems, last } = await store.read(session, state.seq);
    if (entries.some(isRewind)) return rebuild();
    note(problems);
    for (const entry of entries) fold(entry);
    state.seq = Math.max(state.seq, last);
  };
  const keepSnapshot = async () => {
    if (state.seq - snapshotSeq < SNAPSHOT_EVERY) return;
    snapshotSeq = state.seq;
    // A snapshot is a convenience: failing to keep one loses nothing.
    await store
      .saveSnapshot(session, { seq: state.seq, version: STATE_VERSION, state })
      .catch(() => undefined);
  };

  const kept = await store.snapshot(session);
  if (kept?.version === STATE_VERSION && isState(kept.state)) {
    state = kept.state;
    snapshotSeq = kept.seq;
  }
  await refresh();
  return {
    get state() {
      return state;
    },
    damaged,
    async refresh() {
      await refresh();
      await keepSnapshot();
    },
    async append(batch) {
      const appended = await store.append(session, batch);
      if (!appended.ok) return appended;
      const numbered = batch.entries.map(
        (entry, index): Entry => ({ ...entry, seq: appended.first + index }),
      );
      if (appended.first === state.seq + 1 && !numbered.some(isRewind))
        for (const entry of numbered) fold(entry);
      else await refresh();
      await keepSnapshot();
      return appended;
    },
  };
}

function checked(entry: Entry): Entry {
  if (entry.kind === "event") return { ...entry, event: parseEvent(entry.event) };
  return entry;
}

function isState(state: unknown): state is State {
  return typeof state === "object" && state !== null && "facts" in state && "deliveries" in state;
}
