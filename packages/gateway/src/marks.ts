// Small facts that gateways on one store share, each under a name: who is first sets it. They belong to a session and go
// when it is removed. A look-up takes the same time however many there are.

import type { Mark, Store } from "sotto/extend";

export interface Marks {
  /** What is known under each name. */
  read(names: readonly string[]): Promise<(string | undefined)[]>;
  /** What this process knows, without asking the store. */
  recall(names: readonly string[]): (string | undefined)[];
  /** Sets it unless something else is there; returns what is there then. */
  set(session: string, mark: Mark): Promise<string>;
  /** Sets those that are not there; this process knows them at once. */
  put(session: string, marks: readonly Mark[]): Promise<void>;
  /** The turn takes these to the store, in the write that it makes anyway. */
  withTurn<T extends TakenTurn>(session: string, marksOf: MarksOf, take: () => Promise<T>): Promise<T>;
  /** The store for the sessions whose turns these are. */
  store: Store;
  /** Whether another process has taken a turn in the session since this one last did. */
  isOvertaken(session: string): Promise<boolean>;
}

/** Its number is 0 if it was not taken. */
export interface TakenTurn {
  number: number;
  trace?: readonly { outcome: string }[];
}

/** `at`: when it was taken, if the marks go to the store with it. */
type MarksOf = (turn: number, at?: string) => readonly Mark[];

interface Waiting {
  marksOf: MarksOf;
  isSet: boolean;
}

const REMEMBERED = 20_000;

export function createMarks(given: Store): Marks {
  const keeper = given.marks === undefined ? asClaims(given) : inStore(given);
  // The latest, so that a conversation in one process asks the store only once for each step.
  const known = new Map<string, string>();
  const keep = (name: string, value: string) => {
    known.delete(name);
    known.set(name, value);
    for (const oldest of known.keys()) {
      if (known.size <= REMEMBERED) break;
      known.delete(oldest);
    }
    return value;
  };
  async function put(session: string, marks: readonly Mark[]): Promise<void> {
    const values = marks.length === 0 ? [] : await keeper.put(session, marks);
    for (const [at, { name, value }] of marks.entries()) keep(name, values[at] ?? value);
  }
  async function putAtOnce(session: string, marks: readonly Mark[]): Promise<void> {
    const unknown = marks.filter(({ name }) => !known.has(name));
    for (const { name, value } of unknown) keep(name, value);
    if (unknown.length > 0) await put(session, unknown);
  }
  // A request that comes while the mark of the one before it is being written finds it all the same.
  const beingSet = new Map<string, Promise<string>>();
  async function write(session: string, mark: Mark): Promise<string> {
    await put(session, [mark]);
    return known.get(mark.name) ?? mark.value;
  }

  // Turns of a session are taken one after the other.
  const waiting = new Map<string, Waiting[]>();
  // The last entry of the latest turn of this process, by session.
  const turned = new Map<string, number>();
  const append: Store["append"] = async (session, batch) => {
    const appended = await appendMarked(session, batch);
    if (!appended.ok || !batch.entries.some(({ kind }) => kind === "turn")) return appended;
    turned.delete(session);
    turned.set(session, appended.last);
    for (const oldest of turned.keys()) {
      if (turned.size <= REMEMBERED) break;
      turned.delete(oldest);
    }
    return appended;
  };
  const appendMarked: Store["append"] = async (session, batch) => {
    const turn = batch.entries.find((entry) => entry.kind === "turn");
    const first = turn === undefined ? undefined : waiting.get(session)?.[0];
    const isPlain = turn === undefined || first === undefined || first.isSet;
    if (isPlain || given.marks === undefined) return given.append(session, batch);
    const marks = first.marksOf(turn.turn, turn.at);
    first.isSet = true;
    if (marks.length === 0) return given.append(session, batch);
    const appended = await given.append(session, { ...batch, marks }).catch((error: unknown) => {
      first.isSet = false;
      throw error;
    });
    first.isSet = appended.ok;
    if (appended.ok)
      for (const [at, { name, value }] of marks.entries()) keep(name, appended.marks?.[at] ?? value);
    return appended;
  };

  return {
    async read(names) {
      const there = await Promise.all(names.map((name) => known.get(name) ?? beingSet.get(name)));
      const unknown = names.filter((_, at) => there[at] === undefined);
      const values = unknown.length === 0 ? [] : await keeper.read(unknown);
      const found = new Map(unknown.map((name, at) => [name, values[at]]));
      return names.map((name, at) => {
        const value = found.get(name);
        return there[at] ?? (value === undefined ? undefined : keep(name, value));
      });
    },
    recall: (names) => names.map((name) => known.get(name)),
    async set(session, mark) {
      const there = known.get(mark.name) ?? beingSet.get(mark.name);
      if (there !== undefined) return there;
      const writing = write(session, mark).finally(() => beingSet.delete(mark.name));
      beingSet.set(mark.name, writing);
      return writing;
    },
    put: putAtOnce,
    async withTurn(session, marksOf, take) {
      const own: Waiting = { marksOf, isSet: false };
      waiting.set(session, [...(waiting.get(session) ?? []), own]);
      try {
        const turn = await take();
        if (!own.isSet && turn.number > 0) await put(session, marksOf(turn.number)).catch(() => undefined);
        // The log did not answer, and the request goes out all the same: the next one has to find its session.
        if (turn.number === 0 && turn.trace?.[0]?.outcome === "timed out")
          void putAtOnce(session, marksOf(0)).catch(() => undefined);
        return turn;
      } finally {
        const others = (waiting.get(session) ?? []).filter((one) => one !== own);
        if (others.length > 0) waiting.set(session, others);
        else waiting.delete(session);
      }
    },
    store: withAppend(given, append),
    async isOvertaken(session) {
      const last = turned.get(session);
      if (last === undefined) return false;
      const { entries } = await given.read(session, last);
      return entries.some(({ kind }) => kind === "turn");
    },
  };
}

/** Looks only. */
export function readOnly(marks: Marks): Marks {
  return {
    ...marks,
    set: async (_session, { name, value }) => (await marks.read([name]))[0] ?? value,
    put: async () => {},
  };
}

/** For a store that is down: what this process knows has to do. */
export function fromMemory(marks: Marks): Marks {
  return { ...marks, read: async (names) => marks.recall(names) };
}

interface Keeper {
  read(names: readonly string[]): Promise<(string | undefined)[]>;
  /** Returns what is there then. */
  put(session: string, marks: readonly Mark[]): Promise<readonly string[]>;
}

function inStore(store: Store): Keeper {
  return {
    read: async (names) => (await store.marks?.(names)) ?? [],
    async put(session, marks) {
      const appended = await store.append(session, { entries: [], marks });
      return (appended.ok && appended.marks) || [];
    },
  };
}

const PLACE = "~gateway";
const KEPT_MS = 90 * 24 * 3600 * 1000;

/** For stores that keep no marks: the value is who holds a claim. These do not go with their session. */
function asClaims(store: Store): Keeper {
  const now = () => store.now?.() ?? Date.now();
  const readOne = async (name: string) => (await store.holders(`${PLACE}/${name}`, now()))[0];
  return {
    read: (names) => Promise.all(names.map(readOne)),
    put: (_session, marks) =>
      Promise.all(
        marks.map(async ({ name, value }) => {
          const claim = { keys: ["mark"], owner: value, now: now(), expiresAt: now() + KEPT_MS };
          const { ok } = await store.append(`${PLACE}/${name}`, { entries: [], claim });
          return ok ? value : ((await readOne(name)) ?? value);
        }),
      ),
  };
}

/** The same store with another `append`. */
function withAppend(store: Store, append: Store["append"]): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === "append") return append;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
