// For tests of what watches files: the real watcher with someone who counts, and stats as the sources keep them.

import * as fs from "node:fs";

export type Listener = (event: string, name: string | null) => void;

/** The real one; `begun` resolves when it has been called that often. `before` runs ahead of each call, and may throw. */
export function countedWatch(before: (path: string) => void = () => {}) {
  const places: string[] = [];
  const open = new Set<fs.FSWatcher>();
  const waiting: { count: number; resolve(): void }[] = [];
  return {
    places,
    open,
    watch(path: string, options: { persistent: false }, listener: Listener) {
      before(path);
      const watcher = fs.watch(path, options, listener);
      open.add(watcher);
      watcher.once("close", () => open.delete(watcher));
      places.push(path);
      for (const { count, resolve } of waiting) if (places.length >= count) resolve();
      return watcher;
    },
    begun(count: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, resolve });
      if (places.length >= count) resolve();
      return promise;
    },
  };
}

export function statOf(path: string) {
  const { size, mtimeMs, ctimeMs, ino, dev } = fs.statSync(path);
  return { size, mtimeMs, ctimeMs, ino, dev };
}

/** So long ago that no change can hide behind a tick of the clock. */
export const muchLater = () => Date.now() + 60_000;

/** Resolves when a change would get another time than any before: file systems' clocks tick slowly. */
export async function clockTick(directory: string): Promise<void> {
  const probe = `${directory}/clock-probe`;
  const now = () => {
    fs.writeFileSync(probe, "");
    fs.rmSync(probe);
    return fs.statSync(directory).ctimeMs;
  };
  const from = now();
  while (now() === from) await new Promise((resolve) => setTimeout(resolve, 1));
}
