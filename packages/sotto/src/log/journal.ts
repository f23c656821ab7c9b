// One session's log, open: folds entries into the state, takes in what others append, keeps snapshots.

import { errorText } from "../platform/errors.ts";
import { Doubts, doubtOf, releasing, type Unsure } from "./doubts.ts";
import {
  type AppendResult,
  type Batch,
  type DamagedEntry,
  ENTRY_VERSION,
  type Entry,
  type LogEnd,
  type NewEntry,
  type OfferEntry,
  type ReadResult,
  type SettleEntry,
  type Store,
} from "./entries.ts";
import { entryProblem } from "./entry-problem.ts";
import { isRewind, refold } from "./refold.ts";
import {
  applyEntry,
  changedFacts,
  deliveryKey,
  initialState,
  restoredState,
  type State,
  stateVersion,
} from "./state.ts";

const SNAPSHOT_EVERY = 200;
// A process that opens the log for each call reads less of it if snapshots are more frequent.
const SNAPSHOT_EVERY_JOINING = 40;
// Read back faster than a snapshot of what they say.
const FEW = 40;
const DAMAGED_KEPT = 100;

const NONE: ReadonlySet<string> = new Set();
const NONE_VOIDED: Journal["voided"] = new Map();

type Hash = (text: string) => string;

export interface Journal {
  /** Throws while it is given back. */
  readonly state: State;
  /** Known while the state is given back, too. */
  readonly tagNames: readonly string[];
  /** Changes with everything in the log but turns, and events that change facts only. */
  readonly revision: number;
  /** The facts that such events may have changed since this was last asked. */
  takeChangedFacts(): ReadonlySet<string>;
  /** Entries that could not be read or folded: they are skipped, and the session still opens. */
  readonly damaged: { seq: number; problem: string }[];
  /** Edges of deliveries that could not be read back, with the entry's number: they are sent again. */
  readonly voided: ReadonlyMap<string, number>;
  /** Takes in what other processes have appended. */
  refresh(): Promise<void>;
  append(batch: Batch): Promise<AppendResult>;
  /** Writes a snapshot, unless few entries came after the last one. False if it could not be kept. */
  save(): Promise<boolean>;
  /** Gives the state back. False if it knows something that the log does not. */
  forget(): boolean;
  /** Whether the state is given back. */
  readonly isAsleep: boolean;
  /** Reads it again. */
  wake(): Promise<void>;
  /** Marks offers that the model may never have seen: the next append abandons them, unless they are settled by then. */
  doubt(offers: readonly Unsure[]): void;
  /** Says in the log what its next append would say of them. */
  settleDoubts(at: string): Promise<void>;
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
  const journal = new OpenJournal({ store, session, hash, snapshotEvery });
  await journal.wake();
  return journal;
}

interface JournalOptions {
  store: Store;
  session: string;
  hash: Hash | undefined;
  snapshotEvery: number;
}

class OpenJournal implements Journal {
  readonly damaged: Journal["damaged"] = [];
  voided: Journal["voided"] = NONE_VOIDED;
  revision = 0;
  #changedFacts: Set<string> | undefined;
  readonly #options: JournalOptions;
  #state: State | undefined;
  #tagNames: readonly string[] = [];
  #waking: Promise<void> | undefined;
  /** Of the last snapshot, and of the last one that was kept. */
  #snapshotSeq = 0;
  #savedSeq = 0;
  /** The last entry that was taken in: if another has its number, or none, it is another log. */
  #tail: Tail = { seq: 0 };
  readonly #doubts = new Doubts();

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  get state(): State {
    if (this.#state === undefined) throw new Error("the log is not read back yet");
    return this.#state;
  }

  get tagNames(): readonly string[] {
    return this.#state?.tagNames ?? this.#tagNames;
  }

  get isAsleep(): boolean {
    return this.#state === undefined || this.#waking !== undefined;
  }

  async refresh(): Promise<void> {
    if (this.isAsleep) await this.wake();
    else await this.#refresh();
    if (this.state.seq - this.#snapshotSeq >= this.#options.snapshotEvery) await this.save();
  }

  takeChangedFacts(): ReadonlySet<string> {
    const changed = this.#changedFacts ?? NONE;
    this.#changedFacts = undefined;
    return changed;
  }

  append(batch: Batch): Promise<AppendResult> {
    return this.#append(batch, batch.entries[0]?.at);
  }

  async settleDoubts(at: string): Promise<void> {
    if (!this.#doubts.isEmpty) await this.#append({ entries: [] }, at);
  }

  /** `at`: when what is in doubt was settled; unset if it stays so. */
  async #append(batch: Batch, at: string | undefined): Promise<AppendResult> {
    const { store, session, snapshotEvery } = this.#options;
    const doubted = at === undefined ? [] : this.#doubts.take();
    let isWritten = false;
    try {
      const entries =
        at === undefined || doubted.length === 0
          ? batch.entries
          : [...(await this.#givenUp(doubted, at)), ...batch.entries];
      const released = releasing(this.#doubts.left(doubted), batch);
      const appended = await store
        .append(session, { ...batch, ...released, entries, behind: this.state.seq })
        .catch((error: unknown) => {
          const { deliveries } = this.state;
          const unsure = batch.entries.filter(isUnsure);
          this.doubt(unsure.map((entry) => doubtOf(entry, deliveries[deliveryKey(entry)])));
          throw error;
        });
      isWritten = appended.ok;
      if (!appended.ok) return appended;
      const numbered = entries.map((entry, index): Entry => ({ ...entry, seq: appended.first + index }));
      if (appended.first === this.state.seq + 1 && !numbered.some(isRewind))
        for (const entry of numbered) this.#fold(entry);
      else await this.#refresh();
      if (this.state.seq - this.#snapshotSeq >= snapshotEvery) await this.save();
      return appended;
    } finally {
      this.#doubts.end(doubted, isWritten);
      if (!isWritten && doubted.length > 0) this.#doubts.forgetIn(this.state);
    }
  }

  doubt(offers: readonly Unsure[]): void {
    this.#doubts.add(offers);
    this.#doubts.forgetIn(this.state);
  }

  async save(): Promise<boolean> {
    const { store, session } = this.#options;
    const { state } = this;
    const { seq } = state;
    if (seq - this.#savedSeq < FEW) return true;
    this.#snapshotSeq = seq;
    try {
      // That of a log which was removed would hide the next one's entries.
      if ((await readOn(store, session, { ...this.#tail, limit: 1 })) === undefined) return true;
      await store.saveSnapshot(session, { seq, version: stateVersion(), state });
      this.#savedSeq = seq;
      return true;
    } catch {
      // Without a snapshot only the next start is slower.
      return false;
    }
  }

  forget(): boolean {
    if (!this.#doubts.isEmpty) return false;
    this.#tagNames = this.tagNames;
    this.#state = undefined;
    return true;
  }

  wake(): Promise<void> {
    this.#waking ??= this.#read().finally(() => {
      this.#waking = undefined;
    });
    return this.#waking;
  }

  /** From the snapshot on. */
  async #read(): Promise<void> {
    if (this.#state !== undefined) return;
    const { store, session, hash } = this.#options;
    const kept = await store.snapshot(session);
    const restored = kept && restoredState(kept);
    const state = restored ?? initialState();
    const rest = restored && kept?.rest;
    const found = await readOn(store, session, { seq: state.seq, hash, rest });
    const isKept = restored !== undefined && found !== undefined;
    // All of it or nothing: a turn that is late meanwhile must not see a part.
    if (found === undefined || found.entries.some(isRewind)) await this.#rebuild();
    else {
      if (!isKept) this.damaged.length = 0;
      this.#state = state;
      this.#tail = { seq: state.seq };
      this.#take(found);
    }
    this.#snapshotSeq = isKept ? (kept?.seq ?? 0) : 0;
    this.#savedSeq = this.#snapshotSeq;
  }

  #note(problems: readonly DamagedEntry[]): void {
    const { damaged } = this;
    damaged.push(
      ...problems.slice(0, DAMAGED_KEPT - damaged.length).map(({ seq, problem }) => ({ seq, problem })),
    );
    const voided = problems.flatMap(({ seq, covers = [] }) => covers.map((edge) => [edge, seq] as const));
    if (voided.length > 0) this.voided = new Map([...this.voided, ...voided]);
  }

  #apply(onto: State, entry: Entry): void {
    try {
      applyEntry(onto, entry);
    } catch (error) {
      this.#note([{ seq: entry.seq, problem: errorText(error) }]);
    }
  }

  #fold(entry: Entry): void {
    const { state } = this;
    // Folding an entry twice would count it twice.
    if (entry.seq <= state.seq) return;
    this.#apply(state, entry);
    state.seq = entry.seq;
    this.#tail = tailOf(entry);
    const facts = changedFacts(entry);
    if (facts === undefined) this.revision += 1;
    else for (const name of facts) this.#changedFacts = (this.#changedFacts ?? new Set()).add(name);
  }

  async #refresh(): Promise<void> {
    const { store, session, hash } = this.#options;
    const found = await readOn(store, session, { ...this.#tail, hash });
    if (found === undefined) {
      // It was removed, or an earlier state of it restored: what is there now counts.
      this.voided = NONE_VOIDED;
      this.#snapshotSeq = 0;
      this.#savedSeq = 0;
    }
    const isTaken = found !== undefined && this.#doubts.drop(found.entries);
    if (found === undefined || isTaken || found.entries.some(isRewind)) await this.#rebuild();
    else this.#take(found);
    this.#doubts.forgetIn(this.state);
  }

  #take({ entries, problems, last }: Sound): void {
    this.#note(problems);
    for (const entry of entries) this.#fold(entry);
    this.#endAt(Math.max(this.state.seq, last));
  }

  async #rebuild(): Promise<void> {
    const { store, session, hash } = this.#options;
    const { entries, problems, last } = soundIn(await store.read(session, 0), hash);
    this.damaged.length = 0;
    this.#note(problems);
    this.#state = refold(entries, (onto, entry) => this.#apply(onto, entry));
    this.revision += 1;
    this.#tail = tailOf(entries.at(-1) ?? { seq: 0 });
    this.#endAt(last);
  }

  /** The last entry may be one that cannot be read. */
  #endAt(last: number): void {
    this.state.seq = last;
    if (this.#tail.seq !== last) this.#tail = { seq: last };
  }

  /** Nobody has sent what a failed append offered: if it is in the log all the same, it is abandoned. */
  async #givenUp(unsure: readonly Unsure[], at: string): Promise<NewEntry[]> {
    await this.#refresh();
    return this.#doubts.left(unsure).flatMap(({ id, branch, unsentBy }): NewEntry[] => {
      const known = this.state.deliveries[deliveryKey({ id, branch })];
      const entry = stamp(at, { kind: "delivery", state: "abandoned", id, branch } as const);
      if (unsentBy !== undefined) return [{ ...entry, unsent: true, owner: unsentBy }];
      return known?.state === "offered" ? [entry] : [];
    });
  }
}

function isUnsure(entry: NewEntry): entry is OfferEntry | SettleEntry {
  return entry.kind === "delivery" && entry.state !== "confirmed";
}

interface Tail {
  seq: number;
  /** Unknown if it was not read, or could not be. */
  at?: string;
}

function tailOf({ seq, at }: Tail): Tail {
  return at === undefined ? { seq } : { seq, at };
}

/** What comes after the last known entry. Undefined if that is not in the log any more. */
async function readOn(
  store: Store,
  session: string,
  {
    seq,
    at,
    hash,
    limit,
    rest,
  }: Tail & { hash?: Hash | undefined; limit?: number; rest?: ReadResult | undefined },
): Promise<Sound | undefined> {
  if (at !== undefined && store.isLast?.(session, { seq, at }))
    return { entries: [], problems: [], last: seq };
  const read = rest ?? (await store.read(session, Math.max(0, seq - 1), limit));
  if (at !== undefined && endsWith(read, { seq, at })) return { entries: [], problems: [], last: seq };
  const found = soundIn(read, hash);
  if (seq === 0) return found;
  const known = found.entries.find((entry) => entry.seq === seq);
  const isThere = known !== undefined || found.problems.some((one) => one.seq === seq);
  if (!isThere || (at !== undefined && known !== undefined && known.at !== at)) return undefined;
  return {
    entries: found.entries.filter((entry) => entry.seq > seq),
    problems: found.problems.filter((one) => one.seq > seq),
    last: found.last,
  };
}

/** Whether nothing is there but this entry, which was checked when it was taken in. */
function endsWith({ entries: [first], damaged, last }: ReadResult, { seq, at }: LogEnd): boolean {
  return last === seq && damaged.length === 0 && first?.seq === seq && first.at === at;
}

interface Sound {
  entries: Entry[];
  problems: DamagedEntry[];
  last: number;
}

/** The entries that can be folded, and the problems of the others. */
export function soundIn({ entries, damaged, last }: ReadResult, hash?: Hash): Sound {
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
