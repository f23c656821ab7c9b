// The sessions a server has open: each with its queue and its store, sub-agents closed with the session they work for.

import { randomUUID } from "node:crypto";
import type { Session, Turn } from "sotto";
import type { Store } from "sotto/extend";
import { didYouMean } from "sotto/internal";
import { failed } from "sotto-agent/terminal";
import { openStoreAt } from "../sessions/open-store.ts";

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
  /** Known from now on, so that what follows need not wait for the answer. */
  add(id: string, make: () => Promise<Opened>, parent?: string): Promise<Session>;
  /** Begins when all that came before it has begun. */
  run<T>(
    id: string,
    step: (opened: { session: Session; store: Store; shared: SharedStore }) => Step<T>,
  ): Promise<T>;
  close(id: string): Promise<void>;
  closeAll(): Promise<void>;
}

/** So many names of closed sessions are kept, for better words. */
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
        `session: "${id}" is closed; session/open with the same id and store goes on with it`,
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
      if (entries.has(id)) throw failed(`id: the session "${id}" is open already`, "session_open");
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

// A session's requests begin one after the other, as they came; once begun they run side by side.

export interface Step<T> {
  /** What has to be known before it begins. */
  prepare?: () => Promise<void>;
  begin: () => Promise<T>;
}

export type Queue = <T>(step: Step<T>) => Promise<T>;

/** The first one begins when `opening` is over; where that fails, all fail. */
export function createQueue(opening: Promise<unknown>): Queue {
  let before: Promise<unknown> = Promise.resolve();
  return async ({ prepare, begin }) => {
    const begun = before.then(async () => {
      await opening;
      await prepare?.();
      // In an object: the next one must not wait until it is done.
      return { done: begin() };
    });
    before = begun.catch(() => undefined);
    return (await begun).done;
  };
}

// The turns that were handed out and are not settled yet, by a name that no other process uses.

type Settling = "committed" | "abandoned";

interface OpenTurn {
  session: string;
  commit: Turn["commit"];
  abandon: Turn["abandon"];
  settled?: Settling;
}

export interface OpenTurns {
  add(session: string, turn: Turn): string;
  /** Whose turn it is; fails where it is not known. */
  sessionOf(id: string): string;
  /** The same again gives the same answer, the other is refused. */
  settle(id: string, as: Settling): Promise<boolean>;
  forget(session: string): void;
}

/** A host need not settle its turns: the oldest are then forgotten, and histories tell what became of them. */
export const MOST_TURNS = 1000;

export function createOpenTurns(): OpenTurns {
  const bySession = new Map<string, Map<string, OpenTurn>>();
  const find = (id: string): OpenTurn => {
    for (const turns of bySession.values()) {
      const found = turns.get(id);
      if (found !== undefined) return found;
    }
    throw failed(
      `turn: there is no turn "${id.slice(0, 60)}"; those of a session end when it is closed, and its last ${MOST_TURNS} are known`,
      "unknown_turn",
    );
  };

  return {
    add(session, { commit, abandon }) {
      const id = randomUUID();
      const turns = bySession.get(session) ?? new Map<string, OpenTurn>();
      bySession.set(session, turns);
      turns.set(id, { session, commit, abandon });
      const [oldest] = turns.keys();
      if (turns.size > MOST_TURNS && oldest !== undefined) turns.delete(oldest);
      return id;
    },
    sessionOf: (id) => find(id).session,
    settle(id, as) {
      const turn = find(id);
      turn.settled ??= as;
      if (turn.settled !== as) throw failed(`turn: it is ${turn.settled} already`, "turn_settled");
      return as === "committed" ? turn.commit() : turn.abandon();
    },
    forget: (session) => void bySession.delete(session),
  };
}

// The stores of a server: one for each place, shared by the sessions there, closed with the last of them.

export interface SharedStore {
  store: Store;
  /** One more session uses it. */
  share(): SharedStore;
  /** A session uses it no more. */
  release(): Promise<void>;
}

/** Gives the store at a path; without one a new store in memory. */
export function createStorePool(): (path: string | undefined) => SharedStore {
  const byPath = new Map<string, { store: Store; users: number }>();

  function use(entry: { store: Store; users: number }, path: string | undefined): SharedStore {
    entry.users += 1;
    return {
      store: entry.store,
      share: () => use(entry, path),
      async release() {
        entry.users -= 1;
        if (entry.users > 0) return;
        if (path !== undefined) byPath.delete(path);
        await entry.store.close();
      },
    };
  }

  return (path) => {
    const there = path === undefined ? undefined : byPath.get(path);
    const entry = there ?? { store: openStoreAt(path).store, users: 0 };
    if (path !== undefined) byPath.set(path, entry);
    return use(entry, path);
  };
}
