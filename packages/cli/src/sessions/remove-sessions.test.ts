// Removing sessions: what is shared stays, and whoever interrupts it leaves nothing half done.

import { createMemoryStore } from "sotto";
import type { NewEntry, Store } from "sotto/extend";
import { expect, test } from "vitest";
import { removeSessions } from "./remove-sessions.ts";

const progress = { at: () => undefined, end: () => undefined };

/** Each has a content of its own and one that all share. */
async function storeWith(...names: string[]): Promise<Store> {
  const store = createMemoryStore();
  const shared = await store.putBlob(Buffer.from("shared"));
  for (const name of names) {
    const own = await store.putBlob(Buffer.from(name));
    const entry = (blob: string): NewEntry => ({
      kind: "event",
      v: 1,
      at: "2026-11-15T00:00:00.000Z",
      event: { type: "file_read", path: "/a", version: { realPath: "/a", hash: blob, kind: "text", blob } },
    });
    await store.append(name, { entries: [entry(own), entry(shared)] });
  }
  return store;
}

const bytes = async (store: Store) => (await store.blobs()).map((blob) => blob.bytes).sort();

test("contents that only they referred to go with them", async () => {
  const store = await storeWith("a/1", "b/22");
  const all = await store.sessions();
  const interruption = { check: () => undefined };
  const chosen = all.slice(0, 1);
  const planned = await removeSessions({ store, all, chosen, progress, interruption, dryRun: true });
  expect(planned).toEqual({ sessions: ["a/1"], inUse: [], blobs: 1, bytes: 3 });
  expect(await bytes(store)).toEqual([3, 4, 6]);
  expect(await removeSessions({ store, all, chosen, progress, interruption })).toEqual(planned);
  expect(await bytes(store)).toEqual([4, 6]);
});

test("interrupted anywhere, what is left is whole, and going on finishes it", async () => {
  for (let steps = 0; ; steps++) {
    const store = await storeWith("a/1", "b/22", "c/333");
    const all = await store.sessions();
    let left = steps;
    const interruption = {
      check(done: () => string) {
        if (left-- === 0) throw new Error(done());
      },
    };
    const options = { store, all, chosen: all.slice(0, 2), progress, interruption };
    const ended = await removeSessions(options).then(
      () => true,
      () => false,
    );
    const kept = await store.sessions();
    const held = new Set((await store.blobs()).map(({ hash }) => hash));
    for (const { id } of kept)
      for (const entry of (await store.read(id, 0)).entries)
        if (entry.kind === "event" && entry.event.type === "file_read")
          expect(held).toContain(entry.event.version?.blob);
    if (ended) {
      expect(steps).toBeGreaterThan(4);
      return;
    }
    const rest = kept.filter(({ id }) => id !== "c/333");
    const calm = { check: () => undefined };
    await removeSessions({ ...options, all: kept, chosen: rest, interruption: calm, orphans: true });
    expect((await store.sessions()).map(({ id }) => id)).toEqual(["c/333"]);
    expect(await bytes(store)).toEqual([5, 6]);
  }
});
