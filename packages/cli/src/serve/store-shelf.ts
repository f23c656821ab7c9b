// The stores of a server: one for each place, shared by the sessions there, closed with the last of them.

import type { Store } from "sotto";
import { openStoreAt } from "../sessions/open-store.ts";

export interface Shelved {
  store: Store;
  /** One more session uses it. */
  share(): Shelved;
  /** A session uses it no more. */
  release(): Promise<void>;
}

/** Gives the store at a path; without one a new store in memory. */
export function createStoreShelf(): (path: string | undefined) => Shelved {
  const byPath = new Map<string, { store: Store; users: number }>();

  function use(shelf: { store: Store; users: number }, path: string | undefined): Shelved {
    shelf.users += 1;
    return {
      store: shelf.store,
      share: () => use(shelf, path),
      async release() {
        shelf.users -= 1;
        if (shelf.users > 0) return;
        if (path !== undefined) byPath.delete(path);
        await shelf.store.close();
      },
    };
  }

  return (path) => {
    const there = path === undefined ? undefined : byPath.get(path);
    const shelf = there ?? { store: openStoreAt(path).store, users: 0 };
    if (path !== undefined) byPath.set(path, shelf);
    return use(shelf, path);
  };
}
