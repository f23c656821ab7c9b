// At most two file-system calls of ours at once: the runtime's threads are everyone's.

const LANES = 2;

export async function inLanes<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await run(items[index] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(LANES, items.length) }, lane));
  return results;
}

/** Lets others run after some milliseconds of work: what waits for nothing would hold the thread otherwise. */
export function createBreather(everyMs = 10): () => Promise<void> {
  let from = performance.now();
  return async () => {
    if (performance.now() - from < everyMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    from = performance.now();
  };
}
