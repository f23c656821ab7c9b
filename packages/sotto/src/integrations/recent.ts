// Remembers what was used last, up to a limit that several owners share. What belongs to an owner that is gone is freed
// with it.

export interface Recent {
  /** `onForgotten` gets each of its items that went, for whatever reason. */
  owner<Item>(onForgotten: (item: Item) => void): Remembered<Item>;
}

/** The items of one owner. */
export interface Remembered<Item> {
  /** Returns how to forget it before its time. */
  add(item: Item, size: number): () => void;
}

interface Mark {
  owner: WeakRef<{ forget(mark: Mark): void }>;
  size: number;
}

export function createRecent(most: number): Recent {
  // From the oldest to the latest.
  const marks = new Set<Mark>();
  let total = 0;
  const forget = (mark: Mark) => {
    if (!marks.delete(mark)) return;
    total -= mark.size;
    mark.owner.deref()?.forget(mark);
  };
  return {
    owner<Item>(onForgotten: (item: Item) => void): Remembered<Item> {
      const items = new Map<Mark, Item>();
      const own = {
        forget(mark: Mark) {
          const item = items.get(mark) as Item;
          items.delete(mark);
          onForgotten(item);
        },
        add(item: Item, size: number) {
          const mark = { owner, size };
          items.set(mark, item);
          marks.add(mark);
          total += size;
          for (const oldest of marks) {
            if (total <= most) break;
            forget(oldest);
          }
          return () => forget(mark);
        },
      };
      const owner = new WeakRef(own);
      return own;
    },
  };
}
