// The part of the stores' contract that keeps two processes from saying the same thing: claims on keys.

import { expect, it } from "vitest";
import type { Store } from "../../packages/sotto/src/log/entries.ts";
import { claim, note } from "./store-notes.ts";

export function describeClaims(opened: () => Store): void {
  it("gives a key to one owner at a time, and writes nothing of a batch whose claim fails", async () => {
    const store = opened();
    expect(await store.append("a", { entries: [note(1)], claim: claim("one", ["k"]) })).toMatchObject({
      ok: true,
    });
    const refused = await store.append("a", {
      entries: [note(2)],
      claim: claim("two", ["free", "k"]),
      settle: ["free"],
      release: { keys: ["k"], owner: "one" },
    });
    expect(refused).toEqual({ ok: false, taken: ["k"] });
    expect((await store.read("a", 0)).last).toBe(1);
    expect(await store.append("a", { entries: [], claim: claim("three", ["free"]) })).toMatchObject({
      ok: true,
    });
    expect(await store.append("a", { entries: [], claim: claim("two", ["k", "free", "k"]) })).toEqual({
      ok: false,
      taken: ["k", "free"],
    });
  });

  it("gives an expired key to the next owner, and lets an owner renew its own", async () => {
    const store = opened();
    const at = (now: number, owner: string) =>
      store.append("a", { entries: [], claim: { ...claim(owner, ["k"]), now, expiresAt: now + 10 } });
    expect(await at(0, "one")).toMatchObject({ ok: true });
    expect(await at(5, "one")).toMatchObject({ ok: true });
    expect(await at(14, "two")).toEqual({ ok: false, taken: ["k"] });
    expect(await at(15, "two")).toMatchObject({ ok: true });
    expect(await at(16, "one")).toEqual({ ok: false, taken: ["k"] });
  });

  it("never gives out a settled key again, whoever asks and whenever", async () => {
    const store = opened();
    await store.append("a", { entries: [], claim: claim("one", ["k"]), settle: ["k", "unclaimed"] });
    await store.append("a", { entries: [], release: { keys: ["k"], owner: "one" } });
    const later = { ...claim("one", ["k", "unclaimed", "free"]), now: 1e15, expiresAt: 2e15 };
    expect(await store.append("a", { entries: [], claim: later })).toEqual({
      ok: false,
      taken: ["k", "unclaimed"],
    });
  });

  it("frees a released key, but only for the owner that holds it", async () => {
    const store = opened();
    await store.append("a", { entries: [], claim: claim("one", ["k", "l"]) });
    await store.append("a", { entries: [], release: { keys: ["k"], owner: "two" } });
    expect(await store.append("a", { entries: [], claim: claim("two", ["k"]) })).toEqual({
      ok: false,
      taken: ["k"],
    });
    await store.append("a", { entries: [], release: { keys: ["k", "unknown"], owner: "one" } });
    expect(await store.append("a", { entries: [], claim: claim("two", ["k", "l"]) })).toEqual({
      ok: false,
      taken: ["l"],
    });
    expect(await store.append("a", { entries: [], claim: claim("two", ["k"]) })).toMatchObject({
      ok: true,
    });
  });

  it("keeps the keys of two sessions apart", async () => {
    const store = opened();
    await store.append("a", { entries: [], claim: claim("one", ["k"]), settle: ["s"] });
    expect(await store.append("b", { entries: [], claim: claim("two", ["k", "s"]) })).toMatchObject({
      ok: true,
    });
  });
}
