// A set that is iterated over and over, a few items at a time.

// A class, and nothing is made before it is needed: a session that tracks files has seven of them, mostly empty.
export class RoundRobin<Item> implements Iterable<Item> {
  #items: Set<Item> | undefined;
  // A set's iterator goes on correctly when items are added or deleted.
  #place: Iterator<Item> | undefined;

  get size(): number {
    return this.#items?.size ?? 0;
  }

  add(item: Item): void {
    this.#items ??= new Set();
    this.#items.add(item);
  }

  delete(item: Item): void {
    this.#items?.delete(item);
  }

  /** The next item; after the last one, the first again. */
  next(): Item | undefined {
    const step = this.#place?.next();
    if (step?.done === false) return step.value;
    this.#place = this.#items?.values();
    return this.#place?.next().value;
  }

  /** The next items, each at most once. */
  some(count: number): Item[] {
    return Array.from({ length: Math.min(count, this.size) }, () => this.next() as Item);
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items?.values() ?? [].values();
  }
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
