// The sessions a server has open: each with its queue and its store, sub-agents closed with the session they work for.

import type { Session, Store } from "sotto";
import { failed } from "../../../agent/src/terminal/failure.ts";
import { didYouMean } from "../../../sotto/src/platform/nearest-of-src.ts";
import { createQueue, type Queue, type Step } from "./queue.ts";
import type { Shelved } from "./store-shelf.ts";

export interface Opened {
  session: Session;
  shelved: Shelved;
}

interface Entry {
  opening: Promise<Opened>;
  queue: Queue;
  running: Set<Promise<unknown>>;
  parent: string | undefined;
}

export interface SessionBook {
  /** Known from now on, so that what follows need not wait for the answer. */
  add(id: string, make: () => Promise<Opened>, parent?: string): Promise<Session>;
  /** Begins when all that came before it has begun. */
  run<T>(
    id: string,
    step: (opened: { session: Session; store: Store; shelved: Shelved }) => Step<T>,
  ): Promise<T>;
  close(id: string): Promise<void>;
  closeAll(): Promise<void>;
}

/** So many names of closed sessions are kept, for better words. */
const REMEMBERED = 1000;

export function createSessionBook(forget: (id: string) => void): SessionBook {
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
    const { session, shelved } = await opening;
    try {
      await session.close();
    } finally {
      forget(id);
      await shelved.release();
    }
  }

  const book: SessionBook = {
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
          const { session, shelved } = await opening;
          chosen = step({ session, store: shelved.store, shelved });
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
      const done = Promise.allSettled(children.map(([child]) => book.close(child))).then(() =>
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
      await Promise.allSettled(roots.map(([id]) => book.close(id)));
      await Promise.allSettled(closing.values());
    },
  };
  return book;
}
