// The part of the stores' contract that people who clean up rely on: removed is removed, in use is refused.

import { expect, it } from "vitest";
import type { Store } from "../../packages/sotto/src/log/entries.ts";
import { claim, note } from "./store-notes.ts";

export function describeCare(opened: () => Store): void {
  it("forgets a session whole, and no other: its name begins anew", async () => {
    const store = opened();
    for (const session of ["a", "b"]) {
      await store.append(session, { entries: [note(1), note(2)], settle: ["s"], claim: claim("one", ["k"]) });
      await store.saveSnapshot(session, { seq: 2, version: 1, state: { of: session } });
    }
    expect(await store.remove("a", { now: 5000 })).toEqual({ ok: true });
    expect(await store.read("a", 0)).toEqual({ entries: [], damaged: [], last: 0 });
    expect(await store.snapshot("a")).toBeUndefined();
    expect((await store.sessions()).map(({ id }) => id)).toEqual(["b"]);
    expect(await store.snapshot("b")).toMatchObject({ seq: 2, version: 1, state: { of: "b" } });
    expect(
      await store.append("a", { entries: [note(3)], claim: { ...claim("two", ["s", "k"]), now: 0 } }),
    ).toEqual({ ok: true, first: 1, last: 1 });
    expect(await store.append("b", { entries: [], claim: claim("two", ["s"]) })).toEqual({
      ok: false,
      taken: ["s"],
    });
    expect(await store.remove("never there", { now: 0 })).toEqual({ ok: true });
    await store.erase();
    expect((await store.read("b", 0)).last).toBe(2);
  });

  it("knows who uses a session, and does not remove it from under them unless told to", async () => {
    const store = opened();
    await store.append("a", { entries: [note(1)], claim: claim("two", ["k", "l"]) });
    await store.append("a", { entries: [], claim: claim("one", ["m"]) });
    await store.append("b", { entries: [note(2)], claim: claim("three", ["k"]), settle: ["k"] });
    expect(await store.holders("a", 1999)).toEqual(["one", "two"]);
    expect(await store.holders("a", 2000)).toEqual([]);
    expect(await store.holders("b", 1999)).toEqual([]);
    expect(await store.holders("unknown", 0)).toEqual([]);
    expect(await store.remove("a", { now: 1999 })).toEqual({ ok: false, owners: ["one", "two"] });
    expect((await store.read("a", 0)).last).toBe(1);
    expect(await store.holders("a", 1999)).toEqual(["one", "two"]);
    expect(await store.remove("a", { now: 1999, force: true })).toEqual({ ok: true });
    expect(await store.remove("b", { now: 1999 })).toEqual({ ok: true });
    expect(await store.sessions()).toEqual([]);
  });

  it("lists blobs by their hashes, page by page, and removes those that are named", async () => {
    const store = opened();
    const hashes = await Promise.all([1, 2, 3].map((size) => store.putBlob(new Uint8Array(size))));
    const bytes = new Map(hashes.map((hash, index) => [hash, index + 1]));
    const sorted = [...hashes].sort().map((hash) => ({ hash, bytes: bytes.get(hash) }));
    expect(await store.blobs()).toEqual(sorted);
    expect(await store.blobs("", 2)).toEqual(sorted.slice(0, 2));
    expect(await store.blobs(sorted[1]?.hash, 2)).toEqual(sorted.slice(2));
    await store.removeBlobs([sorted[1]?.hash ?? "", "0".repeat(64)]);
    expect(await store.blobs()).toEqual([sorted[0], sorted[2]]);
    expect(await store.getBlob(sorted[1]?.hash ?? "")).toBeUndefined();
  });

  it("has nothing to say about itself while it is sound, and names a snapshot that is ahead of its log", async () => {
    const store = opened();
    await store.append("a", { entries: [note(1), note(2)] });
    await store.append("only keys", { entries: [], settle: ["k"] });
    await store.saveSnapshot("a", { seq: 2, version: 1, state: {} });
    expect([await store.problems(), await store.problems({ quick: true })]).toEqual([[], []]);
    await store.saveSnapshot("a", { seq: 3, version: 1, state: {} });
    expect(await store.problems()).toEqual([
      "the snapshot of session a is for entry 3, but its log ends with entry 2",
    ]);
  });
}
