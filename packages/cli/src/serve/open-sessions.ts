// What a server has open: sessions with their queues, turns that are not settled, stores shared by sessions.

import { randomUUID } from "node:crypto";
import type { Session, Turn } from "sotto";
import type { Store } from "sotto/extend";
import { didYouMean } from "sotto/internal";
import { failed } from "sotto-agent/terminal";
import { openPlace, type StorePlace } from "../sessions/open-store.ts";

export interface Opened {
  session: Session;
  shared: SharedStore;
}

interface Entry {
  opening: Promise<Opened>;
  queue: Queue;
  running: Set<Promise<unknown>>;
  parent: string | undefined;
}

export interface OpenSessions {
  /** The id is known at once, so that messages for it need not wait for the reply. */
  add(id: string, make: () => Promise<Opened>, parent?: string): Promise<Session>;
  /** Starts after all earlier steps have started. */
  run<T>(
    id: string,
    step: (opened: { session: Session; store: Store; shared: SharedStore }) => Step<T>,
  ): Promise<T>;
  close(id: string): Promise<void>;
  closeAll(): Promise<void>;
}

/** How many ids of closed sessions are kept, for better errors. */
const REMEMBERED = 1000;

export function createOpenSessions(forget: (id: string) => void): OpenSessions {
  const entries = new Map<string, Entry>();
  const closing = new Map<string, Promise<void>>();
  const closed = new Set<string>();

  function find(id: string): Entry {
    const entry = entries.get(id);
    if (entry !== undefined) return entry;
    if (closed.has(id))
      throw failed(
        `session: "${id}" is closed; reopen it with session/open and the same id and store`,
        "session_closed",
      );
    const hint = didYouMean(id, [...entries.keys()]) || "; session/open opens one";
    throw failed(`session: "${id.slice(0, 100)}" is not open${hint}`, "unknown_session");
  }

  async function closeEntry(id: string, { queue, running, opening }: Entry): Promise<void> {
    await queue({ begin: async () => undefined });
    await Promise.allSettled(running);
    const { session, shared } = await opening;
    try {
      await session.close();
    } finally {
      forget(id);
      await shared.release();
    }
  }

  const sessions: OpenSessions = {
    async add(id, make, parent) {
      if (entries.has(id)) throw failed(`id: session "${id}" is already open`, "session_open");
      const former = closing.get(id);
      const opening = former === undefined ? make() : former.then(make);
      const entry = { opening, queue: createQueue(opening), running: new Set<Promise<unknown>>(), parent };
      entries.set(id, entry);
      try {
        return (await opening).session;
      } catch (thrown) {
        if (entries.get(id) === entry) entries.delete(id);
        throw thrown;
      }
    },
    run(id, step) {
      const { opening, queue, running } = find(id);
      let chosen: ReturnType<typeof step> | undefined;
      const done = queue({
        async prepare() {
          const { session, shared } = await opening;
          chosen = step({ session, store: shared.store, shared });
          await chosen.prepare?.();
        },
        begin: () => (chosen as ReturnType<typeof step>).begin(),
      });
      running.add(done);
      const over = () => running.delete(done);
      done.then(over, over);
      return done;
    },
    async close(id) {
      const entry = find(id);
      entries.delete(id);
      closed.add(id);
      const [oldest] = closed;
      if (closed.size > REMEMBERED && oldest !== undefined) closed.delete(oldest);
      const children = [...entries].filter(([, { parent }]) => parent === id);
      const done = Promise.allSettled(children.map(([child]) => sessions.close(child))).then(() =>
        closeEntry(id, entry),
      );
      const settled = done.catch(() => undefined);
      closing.set(id, settled);
      await done.finally(() => {
        if (closing.get(id) === settled) closing.delete(id);
      });
    },
    async closeAll() {
      const roots = [...entries].filter(([, { parent }]) => parent === undefined || !entries.has(parent));
      await Promise.allSettled(roots.map(([id]) => sessions.close(id)));
      await Promise.allSettled(closing.values());
    },
  };
  return sessions;
}

export interface Step<T> {
  /** Runs before `begin`, and the next step waits for it. */
  prepare?: () => Promise<void>;
  begin: () => Promise<T>;
}

export type Queue = <T>(step: Step<T>) => Promise<T>;

/** Steps start one after the other, once `opening` is done, then run concurrently. If `opening` fails, all fail. */
export function createQueue(opening: Promise<unknown>): Queue {
  let before: Promise<unknown> = Promise.resolve();
  return async ({ prepare, begin }) => {
    const begun = before.then(async () => {
      await opening;
      await prepare?.();
      // Wrapped in an object: the next step must not wait for it.
      return { done: begin() };
    });
    before = begun.catch(() => undefined);
    return (await begun).done;
  };
}

type Settling = "committed" | "abandoned";

interface OpenTurn extends Pick<Turn, "commit" | "abandon" | "keptAs"> {
  session: string;
  settled?: Settling;
}

export interface OpenTurns {
  add(session: string, turn: Turn): string;
  /** The turn's session; throws if the turn is unknown. */
  sessionOf(id: string): string;
  /** Repeating it returns the same result; the opposite is an error. `answerId`: under which the provider keeps the answer. */
  settle(id: string, as: Settling, answerId?: string): Promise<boolean>;
  forget(session: string): void;
}

/** Hosts need not settle turns. The oldest are forgotten; later requests show whether they were answered. */
export const MOST_TURNS = 1000;

export function createOpenTurns(): OpenTurns {
  const bySession = new Map<string, Map<string, OpenTurn>>();
  const find = (id: string): OpenTurn => {
    for (const turns of bySession.values()) {
      const found = turns.get(id);
      if (found !== undefined) return found;
    }
    throw failed(
      `turn: unknown turn "${id.slice(0, 60)}"; a session keeps its last ${MOST_TURNS} turns until it is closed`,
      "unknown_turn",
    );
  };

  return {
    add(session, { commit, abandon, keptAs }) {
      const id = randomUUID();
      const turns = bySession.get(session) ?? new Map<string, OpenTurn>();
      bySession.set(session, turns);
      turns.set(id, { session, commit, abandon, keptAs });
      const [oldest] = turns.keys();
      if (turns.size > MOST_TURNS && oldest !== undefined) turns.delete(oldest);
      return id;
    },
    sessionOf: (id) => find(id).session,
    async settle(id, as, answerId) {
      const turn = find(id);
      turn.settled ??= as;
      if (turn.settled !== as) throw failed(`turn: already ${turn.settled}`, "turn_settled");
      if (as === "abandoned") return turn.abandon();
      const noted = answerId === undefined || (await turn.keptAs(answerId));
      return (await turn.commit()) && noted;
    },
    forget: (session) => void bySession.delete(session),
  };
}

export interface SharedStore {
  store: Store;
  /** Adds a user. */
  share(): SharedStore;
  /** Removes a user; the last one closes the store. */
  release(): Promise<void>;
}

/** Returns the store at a place, or a new store in memory. */
export function createStorePool(): (place: StorePlace) => Promise<SharedStore> {
  const byPlace = new Map<string, { opening: Promise<Store>; users: number }>();

  function use(entry: { opening: Promise<Store>; users: number }, key: string, store: Store): SharedStore {
    return {
      store,
      share() {
        entry.users += 1;
        return use(entry, key, store);
      },
      async release() {
        entry.users -= 1;
        if (entry.users > 0) return;
        byPlace.delete(key);
        await store.close();
      },
    };
  }

  return async (place) => {
    const opening = () => openPlace(place).then(({ store }) => store);
    const key = JSON.stringify(place);
    const entry = byPlace.get(key) ?? { opening: opening(), users: 0 };
    // Each session in memory has its own.
    if (place.kind !== "memory") byPlace.set(key, entry);
    entry.users += 1;
    return use(entry, key, await entry.opening);
  };
}
