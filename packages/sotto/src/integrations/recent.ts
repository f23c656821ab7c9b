// Remembers what was used last, up to a limit that several owners share. What belongs to an owner that is gone is freed
// with it.

export interface Recent {
  owner<Item>(): Remembered<Item>;
}

/** The items of one owner. */
export interface Remembered<Item> {
  latestFirst(): Item[];
  /** `replaced` is forgotten. */
  add(item: Item, size: number, replaced?: Item): void;
}

interface Mark {
  items: WeakRef<Map<Mark, unknown>>;
  size: number;
}

export function createRecent(most: number): Recent {
  // From the oldest to the latest.
  const marks = new Set<Mark>();
  let total = 0;
  const forget = (mark: Mark) => {
    marks.delete(mark);
    total -= mark.size;
    mark.items.deref()?.delete(mark);
  };
  return {
    owner<Item>(): Remembered<Item> {
      const own = new Map<Mark, Item>();
      const items = new WeakRef<Map<Mark, unknown>>(own);
      return {
        latestFirst: () => [...own.values()].reverse(),
        add(item, size, replaced) {
          for (const [mark, one] of own) if (one === replaced) forget(mark);
          const mark = { items, size };
          own.set(mark, item);
          marks.add(mark);
          total += size;
          for (const oldest of marks) {
            if (total <= most) break;
            forget(oldest);
          }
        },
      };
    },
  };
}
