// One session's log, open: folds entries into the state, takes in what others append, keeps snapshots.

import { events } from "../facts/events.ts";
import { errorText } from "../platform/errors.ts";
import {
  type AppendResult,
  type Batch,
  type DamagedEntry,
  ENTRY_VERSION,
  type Entry,
  type NewEntry,
  type OfferEntry,
  type SettleEntry,
  type Store,
} from "./entries.ts";
import { entryProblem } from "./entry-problem.ts";
import { applyEntry, deliveryKey, initialState, restoredState, type State, stateVersion } from "./state.ts";

const SNAPSHOT_EVERY = 200;
// A process that opens the log for each call reads less of it if snapshots are more frequent.
const SNAPSHOT_EVERY_JOINING = 40;
const DAMAGED_KEPT = 100;

type Hash = (text: string) => string;

export interface Journal {
  readonly state: State;
  /** Changes with everything in the log but turns. */
  readonly revision: number;
  /** Entries that could not be read or folded: they are skipped, and the session still opens. */
  readonly damaged: { seq: number; problem: string }[];
  /** Edges of deliveries that could not be read back, with the entry's number: they are sent again. */
  readonly voided: ReadonlyMap<string, number>;
  /** Takes in what other processes have appended. */
  refresh(): Promise<void>;
  append(batch: Batch): Promise<AppendResult>;
  /** Marks offers that the model may never have seen: the next append abandons them, unless they are settled by then. */
  doubt(offers: readonly { id: string; branch: string }[]): void;
}

/** Adds the version and the time to an entry. */
export function stamp<T extends object>(at: string, rest: T): T & { v: number; at: string } {
  return { ...rest, v: ENTRY_VERSION, at };
}

export async function openJournal(
  store: Store,
  session: string,
  { joins = false, hash }: { joins?: boolean | undefined; hash?: Hash } = {},
): Promise<Journal> {
  const snapshotEvery = joins ? SNAPSHOT_EVERY_JOINING : SNAPSHOT_EVERY;
  const damaged: Journal["damaged"] = [];
  let state = initialState();
  let snapshotSeq = 0;
  let revision = 0;
  let unsure: { id: string; branch: string }[] = [];

  const voided = new Map<string, number>();
  const note = (problems: readonly DamagedEntry[]) => {
    damaged.push(
      ...problems.slice(0, DAMAGED_KEPT - damaged.length).map(({ seq, problem }) => ({ seq, problem })),
    );
    for (const { seq, covers = [] } of problems) for (const edge of covers) voided.set(edge, seq);
  };
  const apply = (onto: State, entry: Entry) => {
    try {
      applyEntry(onto, entry);
    } catch (error) {
      note([{ seq: entry.seq, problem: errorText(error) }]);
    }
  };
  const fold = (entry: Entry) => {
    // Folding an entry twice would count it twice.
    if (entry.seq <= state.seq) return;
    apply(state, entry);
    state.seq = entry.seq;
    if (entry.kind !== "turn") revision += 1;
  };
  const rebuild = async () => {
    const { entries, problems, last } = await readSound(store, session, 0, hash);
    damaged.length = 0;
    note(problems);
    state = refold(entries, apply);
    revision += 1;
    state.seq = last;
  };
  const refresh = async () => {
    const { entries, problems, last } = await readSound(store, session, state.seq, hash);
    if (entries.some(isRewind)) return rebuild();
    note(problems);
    for (const entry of entries) fold(entry);
    state.seq = Math.max(state.seq, last);
  };
  /** Nobody has sent what a failed append offered: if it is in the log all the same, it is abandoned. */
  const givenUp = async ({ entries }: Batch) => {
    await refresh();
    const at = entries[0]?.at ?? "";
    const left = unsure.filter((one) => state.deliveries[deliveryKey(one)]?.state === "offered");
    return left.map(({ id, branch }) =>
      stamp(at, { kind: "delivery", state: "abandoned", id, branch } as const),
    );
  };
  const keepSnapshot = async () => {
    if (state.seq - snapshotSeq < snapshotEvery) return;
    snapshotSeq = state.seq;
    // Without a snapshot only the next start is slower.
    await store
      .saveSnapshot(session, { seq: state.seq, version: stateVersion(), state })
      .catch(() => undefined);
  };

  const kept = await store.snapshot(session);
  const restored = kept && restoredState(kept);
  if (kept !== undefined && restored !== undefined) {
    state = restored;
    snapshotSeq = kept.seq;
  }
  await refresh();
  return {
    get state() {
      return state;
    },
    get revision() {
      return revision;
    },
    damaged,
    voided,
    async refresh() {
      await refresh();
      await keepSnapshot();
    },
    async append(batch) {
      const doubted = batch.entries.length === 0 ? [] : unsure;
      const entries = doubted.length === 0 ? batch.entries : [...(await givenUp(batch)), ...batch.entries];
      const appended = await store.append(session, { ...batch, entries }).catch((error: unknown) => {
        unsure = [...unsure, ...batch.entries.filter(isUnsure)];
        throw error;
      });
      if (!appended.ok) return appended;
      unsure = unsure.filter((one) => !doubted.includes(one));
      const numbered = entries.map((entry, index): Entry => ({ ...entry, seq: appended.first + index }));
      if (appended.first === state.seq + 1 && !numbered.some(isRewind))
        for (const entry of numbered) fold(entry);
      else await refresh();
      await keepSnapshot();
      return appended;
    },
    doubt(offers) {
      unsure = [...unsure, ...offers];
    },
  };
}

function isUnsure(entry: NewEntry): entry is OfferEntry | SettleEntry {
  return entry.kind === "delivery" && entry.state !== "confirmed";
}

/** The entries that can be folded, and the problems of the others. */
export async function readSound(store: Store, session: string, after: number, hash?: Hash) {
  const { entries, damaged, last } = await store.read(session, after);
  const found = entries.map((entry) => ({ entry, problem: entryProblem(entry, hash) }));
  const malformed = found.flatMap(({ entry, problem }): DamagedEntry[] =>
    problem === undefined ? [] : [{ seq: entry.seq, problem, ...coversOf(entry) }],
  );
  return {
    entries: found.flatMap(({ entry, problem }) => (problem === undefined ? [entry] : [])),
    problems: [...damaged, ...malformed].sort((a, b) => a.seq - b.seq),
    last,
  };
}

function coversOf(entry: Entry): { covers?: readonly string[] } {
  if (entry.kind !== "delivery" || entry.state !== "offered") return {};
  const covers: unknown = entry.covers;
  return Array.isArray(covers) && covers.every((one) => typeof one === "string") ? { covers } : {};
}

// Folding a whole log, rewinds included.

/** The state after all entries; of rewound parts only what happened in the world counts. */
export function refold(
  entries: readonly Entry[],
  apply: (state: State, entry: Entry) => void = applyEntry,
): State {
  const state = initialState();
  for (const entry of liveEntries(entries)) apply(state, entry);
  for (const entry of entries) {
    state.seq = Math.max(state.seq, entry.seq);
    if (entry.kind === "turn") state.turn = Math.max(state.turn, entry.turn);
  }
  return state;
}

function liveEntries(entries: readonly Entry[]): Entry[] {
  const live: Entry[] = [];
  for (const entry of entries) {
    if (isRewind(entry)) {
      const { toTurn } = entry.event;
      const cut = live.findIndex((earlier) => earlier.kind === "turn" && earlier.turn > toTurn);
      if (cut >= 0) live.push(...live.splice(cut).filter(staysOnRewind));
    }
    live.push(entry);
  }
  return live;
}

type RewindEntry = Entry & { kind: "event"; event: { type: "rewound"; toTurn: number } };

export function isRewind(entry: Entry): entry is RewindEntry {
  return entry.kind === "event" && entry.event.type === "rewound";
}

function staysOnRewind(entry: Entry): boolean {
  return entry.kind === "event" && events[entry.event.type].onRewind === "stays";
}
