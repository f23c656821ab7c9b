// A set that is iterated over and over, a few items at a time.

export interface RoundRobin<Item> extends Iterable<Item> {
  readonly size: number;
  add(item: Item): void;
  delete(item: Item): void;
  /** The next item; after the last one, the first again. */
  next(): Item | undefined;
  /** The next items, each at most once. */
  some(count: number): Item[];
}

export function createRoundRobin<Item>(): RoundRobin<Item> {
  const items = new Set<Item>();
  // A set's iterator goes on correctly when items are added or deleted.
  let place = items.values();
  const next = () => {
    const step = place.next();
    if (!step.done) return step.value;
    place = items.values();
    return place.next().value;
  };
  return {
    get size() {
      return items.size;
    },
    add: (item) => void items.add(item),
    delete: (item) => void items.delete(item),
    next,
    some: (count) => Array.from({ length: Math.min(count, items.size) }, () => next() as Item),
    [Symbol.iterator]: () => items.values(),
  };
}

export function firstOf<Item>(items: Iterable<Item>, count: number): Item[] {
  const found: Item[] = [];
  if (count > 0)
    for (const item of items) {
      found.push(item);
      if (found.length === count) break;
    }
  return found;
}
