// The one suite that every store passes: what the engine relies on, whatever keeps the logs.

import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewEntry, Store } from "../../packages/sotto/src/log/entries.ts";
import { runs } from "./runs.ts";
import { describeCare } from "./store-care.ts";
import { describeClaims } from "./store-claims.ts";
import { describeMarks } from "./store-marks.ts";
import { checkAgainstModel } from "./store-model.ts";
import { claim, note, numbers, textOf } from "./store-notes.ts";

export interface OpenedStore {
  store: Store;
  /** Another handle on the same logs, where the store can have one. Closed by whoever asked for it. */
  reopen?: () => Promise<Store>;
  /** Sets the clock that claims expire by, for a store that does not go by its callers' clocks. */
  setClock?: (now: number) => Promise<void>;
  cleanup(): Promise<void> | void;
}

/** What JSON has other values for. */
const odds: readonly unknown[] = [
  ...[
    undefined,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    -0,
    () => 1,
    Symbol("a"),
    new Date(0),
    new Date(Number.NaN),
  ],
  ...[
    [undefined, () => 1, Symbol("a")],
    Object.assign(new Array(3), { 1: 1 }),
    { a: undefined, b: [Number.NaN] },
  ],
  ...["\ud800", "\0", { "\udfff\0": "\udfff" }, JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
  ...[new Map([[1, 2]]), new Set([1]), /a/u, new Error("a"), Object("a"), Uint8Array.of(1, 2)],
  ...[new URL("https://host/a"), { toJSON: () => ({ a: 1 }) }, Object.assign(Object.create(null), { a: 1 })],
];

/** `outlives`: whether the logs outlive the handle they were written through. */
export function describeStore(name: string, open: () => Promise<OpenedStore>, outlives = true): void {
  describe(`AC-58 ${name}: the store contract`, () => {
    let opened: OpenedStore;
    let store: Store;
    beforeEach(async () => {
      opened = await underOneClock(await open());
      store = opened.store;
    });
    afterEach(async () => {
      await store.close();
      await opened.cleanup();
    });

    it("numbers entries from 1 in the order they were appended, per session", async () => {
      expect(await store.append("a", { entries: [note(1), note(2)] })).toEqual({
        ok: true,
        first: 1,
        last: 2,
      });
      expect(await store.append("b", { entries: [note(3)] })).toEqual({ ok: true, first: 1, last: 1 });
      expect(await store.append("a", { entries: [note(4)] })).toEqual({ ok: true, first: 3, last: 3 });
      expect(await store.read("a", 0)).toEqual({
        entries: [
          { ...note(1), seq: 1 },
          { ...note(2), seq: 2 },
          { ...note(4), seq: 3 },
        ],
        damaged: [],
        last: 3,
      });
    });

    it("appends in the order of the calls, also when nobody waits in between", async () => {
      await Promise.all(numbers(50).map((n) => store.append("a", { entries: [note(n)] })));
      expect((await store.read("a", 0)).entries.map(textOf)).toEqual(numbers(50).map(String));
    });

    it("reads what comes after a number, at most as many as asked for", async () => {
      await store.append("a", { entries: numbers(5).map(note) });
      const middle = await store.read("a", 2, 2);
      expect([middle.entries.map(({ seq }) => seq), middle.last]).toEqual([[3, 4], 4]);
      expect(await store.read("a", 5)).toEqual({ entries: [], damaged: [], last: 5 });
      expect(await store.read("unknown", 0)).toEqual({ entries: [], damaged: [], last: 0 });
    });

    it("takes a batch without entries and writes none", async () => {
      expect(await store.append("a", { entries: [] })).toEqual({ ok: true, first: 1, last: 0 });
      await store.append("a", { entries: [note(1)] });
      expect(await store.append("a", { entries: [], settle: ["k"] })).toEqual({
        ok: true,
        first: 2,
        last: 1,
      });
    });

    describeClaims(() => store);
    describeCare(() => store);
    describeMarks(
      () => store,
      async () => opened.reopen?.(),
    );

    it("AC-38: of many that claim a one-shot at once, exactly one wins", async () => {
      const handles = [store, (await opened.reopen?.()) ?? store];
      const results = await Promise.all(
        numbers(100).map((n) =>
          handle(handles, n).append("a", {
            entries: [note(n), note(n)],
            claim: claim(`owner ${n}`, [`k${n % 10}`]),
          }),
        ),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(10);
      expect((await store.read("a", 0)).last).toBe(20);
      if (handles[1] !== store) await handles[1]?.close();
    });

    it("keeps batches whole and numbers without gaps under 100 appends at once", async () => {
      const handles = [store, (await opened.reopen?.()) ?? store];
      const results = await Promise.all(
        numbers(100).map((n) => handle(handles, n).append("a", { entries: [note(n), note(n), note(n)] })),
      );
      const { entries, last } = await store.read("a", 0);
      expect(last).toBe(300);
      expect(entries.map(({ seq }) => seq)).toEqual(numbers(300));
      for (const [index, result] of results.entries()) {
        if (!result.ok) throw new Error("refused without a claim");
        expect(entries.slice(result.first - 1, result.last).map(textOf)).toEqual(
          Array(3).fill(String(index + 1)),
        );
      }
      if (handles[1] !== store) await handles[1]?.close();
    });

    it("keeps the newest snapshot of a session", async () => {
      expect(await store.snapshot("a")).toBeUndefined();
      // The engine's versions are hashes of 32 bits.
      const newest = { seq: 400, version: 0xffff_ffff, state: { files: ["ä", null], deep: { n: 1.5 } } };
      await store.saveSnapshot("a", { seq: 200, version: 1, state: {} });
      await store.saveSnapshot("a", newest);
      await store.saveSnapshot("a", { seq: 300, version: 3, state: {} });
      await store.saveSnapshot("b", { seq: 1, version: 1, state: [] });
      expect(await store.snapshot("a")).toMatchObject(newest);
      await store.saveSnapshot("a", { seq: 400, version: 3, state: "made anew" });
      expect(await store.snapshot("a")).toMatchObject({ seq: 400, version: 3, state: "made anew" });
    });

    it("gives with a snapshot, if it does so, what reading from its last entry on would give", async () => {
      for (const count of [0, 1, 5, 12]) {
        const session = `${count} entries`;
        const entries = Array.from({ length: count }, (_, index) => note(index));
        if (count > 0) await store.append(session, { entries });
        await store.append("others", { entries: [note(1)] });
        for (const seq of [1, 4, 5, 12, 13]) {
          await store.saveSnapshot(session, { seq, version: 1, state: { seq } });
          const { rest = await store.read(session, seq - 1), ...kept } =
            (await store.snapshot(session)) ?? {};
          expect({ kept, rest }).toEqual({
            kept: { seq, version: 1, state: { seq } },
            rest: await store.read(session, seq - 1),
          });
        }
      }
    });

    it("gives blobs back byte for byte under their hash, and keeps the same content once", async () => {
      const binary = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256);
      const hash = await store.putBlob(binary);
      expect(hash).toBe(createHash("sha256").update(binary).digest("hex"));
      expect(await store.putBlob(Buffer.from(binary))).toBe(hash);
      expect(Buffer.from((await store.getBlob(hash)) ?? []).equals(binary)).toBe(true);
      expect((await store.getBlob(await store.putBlob(new Uint8Array())))?.length).toBe(0);
      expect(await store.getBlob("0".repeat(64))).toBeUndefined();
    });

    it("lists the sessions that have entries, with their first and last time", async () => {
      expect(await store.sessions()).toEqual([]);
      await store.append("b", { entries: [note(1), note(2)] });
      await store.append("a", { entries: [note(3)] });
      await store.append("b", { entries: [note(4)] });
      await store.append("only keys", { entries: [], settle: ["k"] });
      await store.saveSnapshot("only a snapshot", { seq: 1, version: 1, state: {} });
      expect(await store.sessions()).toEqual([
        { id: "b", entries: 3, firstAt: note(1).at, lastAt: note(4).at },
        { id: "a", entries: 1, firstAt: note(3).at, lastAt: note(3).at },
      ]);
    });

    it("is not touched by what callers later do to what they gave or got", async () => {
      const entry = note(1);
      const keys = ["k"];
      const state = { list: [1] };
      const content = Uint8Array.of(1, 2, 3);
      const waits = [
        store.append("a", { entries: [entry], claim: claim("one", keys) }),
        store.saveSnapshot("a", { seq: 1, version: 1, state }),
        store.putBlob(content),
      ];
      Object.assign(entry, { at: "changed", event: null });
      keys[0] = "other";
      state.list.push(2);
      content.fill(9);
      const hash = String((await Promise.all(waits))[2]);
      for (let round = 0; round < 2; round++) {
        const { entries } = await store.read("a", 0);
        const [snapshot, blob] = [await store.snapshot("a"), await store.getBlob(hash)];
        expect(entries).toEqual([{ ...note(1), seq: 1 }]);
        expect([snapshot?.state, [...(blob ?? [])]]).toEqual([{ list: [1] }, [1, 2, 3]]);
        Object.assign(entries[0] ?? {}, { event: null });
        Object.assign(snapshot?.state as object, { list: null });
        blob?.fill(7);
      }
      expect(await store.append("a", { entries: [], claim: claim("two", ["k"]) })).toEqual({
        ok: false,
        taken: ["k"],
      });
    });

    it("refuses what JSON cannot hold, says where it stands, and goes on", async () => {
      const circular: Record<string, unknown> = {};
      circular.self = [circular];
      const secretive = Object.defineProperty({}, "key", { enumerable: true, get: () => JSON.parse("") });
      const refused: [unknown, string][] = [
        [circular, "event.list[1].self[0]: it contains itself"],
        [1n, "event.list[1]: a BigInt"],
        [{ a: [[2n]] }, "event.list[1].a[0][0]: a BigInt"],
        [secretive, "event.list[1].key: it cannot be read"],
      ];
      for (const [value, why] of refused) {
        const entry = { ...note(1), event: { list: [1, value] } } as unknown as NewEntry;
        await expect(store.append("a", { entries: [note(1), entry] })).rejects.toMatchObject({
          code: "store_failed",
          message: `an entry cannot be stored as JSON: ${why}`,
        });
        const state = { event: { list: [1, value] } };
        await expect(store.saveSnapshot("a", { seq: 1, version: 1, state })).rejects.toMatchObject({
          code: "store_failed",
          message: `a snapshot cannot be stored as JSON: state.${why}`,
        });
      }
      expect(await store.append("a", { entries: [note(2)] })).toEqual({ ok: true, first: 1, last: 1 });
    });

    it("gives back of anything else what JSON does, from the first call on", async () => {
      const odd = odds.map((value, n) => ({ ...note(n), event: { value } }) as unknown as NewEntry);
      const given = JSON.parse(JSON.stringify(odd)) as NewEntry[];
      await store.append("odd", { entries: odd });
      for (const [at, entry] of odd.entries())
        expect(await store.append(`odd ${at}`, { entries: [entry] })).toMatchObject({ ok: true });
      await store.saveSnapshot("odd", { seq: 1, version: 1, state: { odds } });
      const { entries, damaged } = await store.read("odd", 0);
      expect(damaged).toEqual([]);
      expect(entries).toStrictEqual(given.map((entry, at) => ({ ...entry, seq: at + 1 })));
      const snapshot = await store.snapshot("odd");
      expect(snapshot?.state).toStrictEqual(JSON.parse(JSON.stringify({ odds })));
    });

    it("does so whatever comes", async () => {
      const values = fc.anything({
        ...{ withDate: true, withNullPrototype: true, withTypedArray: true, withSparseArray: true },
        ...{ withBoxedValues: true, withMap: true, withSet: true },
        stringUnit: "binary",
      });
      let run = 0;
      const property = fc.asyncProperty(fc.array(values, { maxLength: 4 }), async (list) => {
        const entry = { ...note(1), event: { list } } as unknown as NewEntry;
        await store.append(`run ${++run}`, { entries: [entry] });
        const { entries } = await store.read(`run ${run}`, 0);
        expect(entries).toStrictEqual([{ ...JSON.parse(JSON.stringify(entry)), seq: 1 }]);
      });
      await fc.assert(property, runs(1000));
    });

    it("reports entries that it cannot read back, and reads the others", async () => {
      const newer = { ...note(2), v: 99 };
      const unknown = { ...note(3), kind: "rumour" } as unknown as NewEntry;
      await store.append("a", { entries: [note(1), newer, unknown, note(4)] });
      const { entries, damaged, last } = await store.read("a", 0);
      expect([entries.map(({ seq }) => seq), last]).toEqual([[1, 4], 4]);
      expect(damaged).toEqual([
        { seq: 2, problem: expect.stringContaining("newer version 99") },
        { seq: 3, problem: expect.stringContaining("rumour") },
      ]);
    });

    it("finishes what was asked for, then closes for good, any number of times", async () => {
      const pending = numbers(20).map((n) => store.append("a", { entries: [note(n)] }));
      await Promise.all([store.close(), store.close()]);
      expect((await Promise.all(pending)).every(({ ok }) => ok)).toBe(true);
      const closed = { code: "store_failed", message: "the store is closed" };
      await expect(store.append("a", { entries: [] })).rejects.toMatchObject(closed);
      await expect(store.read("a", 0)).rejects.toMatchObject(closed);
      await expect(store.snapshot("a")).rejects.toMatchObject(closed);
      await expect(store.saveSnapshot("a", { seq: 1, version: 1, state: {} })).rejects.toMatchObject(closed);
      await expect(store.putBlob(new Uint8Array())).rejects.toMatchObject(closed);
      await expect(store.getBlob("")).rejects.toMatchObject(closed);
      await expect(store.sessions()).rejects.toMatchObject(closed);
      await expect(store.holders("a", 0)).rejects.toMatchObject(closed);
      await expect(store.remove("a", { now: 0 })).rejects.toMatchObject(closed);
      await expect(store.blobs()).rejects.toMatchObject(closed);
      await expect(store.removeBlobs([])).rejects.toMatchObject(closed);
      await expect(store.erase()).rejects.toMatchObject(closed);
      await expect(store.problems()).rejects.toMatchObject(closed);
      await expect(store.marks?.([])).rejects.toMatchObject(closed);
      await store.close();
    });

    const whereItOutlives = outlives ? it : () => undefined;
    whereItOutlives("keeps everything for the next handle", async () => {
      if (!opened.reopen) throw new Error("a store that outlives its handle can be opened again");
      await store.append("a", { entries: [note(1)], claim: claim("one", ["k"]), settle: ["s"] });
      await store.saveSnapshot("a", { seq: 1, version: 1, state: { n: 1 } });
      const hash = await store.putBlob(Uint8Array.of(1));
      await store.append("a", { entries: [], marks: [{ name: "m", value: "1" }] });
      await store.close();
      const again = await opened.reopen();
      expect((await again.read("a", 0)).entries).toEqual([{ ...note(1), seq: 1 }]);
      expect(await again.append("a", { entries: [], claim: claim("two", ["k", "s"]) })).toEqual({
        ok: false,
        taken: ["k", "s"],
      });
      expect(await again.snapshot("a")).toMatchObject({ seq: 1, version: 1, state: { n: 1 } });
      expect(await again.getBlob(hash)).toEqual(Uint8Array.of(1));
      expect(await again.marks?.(["m"])).toEqual(["1"]);
      await again.close();
    });

    it("does what a plain model does, whatever the batches", async () => {
      const second = (await opened.reopen?.()) ?? store;
      await checkAgainstModel([store, second]);
      if (second !== store) await second.close();
    });
  });
}

/** Before a call that says what time it is, the store's own clock is set to that time. */
async function underOneClock(opened: OpenedStore): Promise<OpenedStore> {
  const { store, reopen, setClock } = opened;
  if (setClock === undefined) return opened;
  let clock = claim("", []).now;
  await setClock(clock);
  const at = (now: number | undefined, call: () => Promise<unknown>) => {
    if (now === undefined || now === clock) return call();
    clock = now;
    return setClock(now).then(call);
  };
  const wrap = (inner: Store): Store => ({
    ...inner,
    append: (session, batch) =>
      at(batch.claim?.now, () => inner.append(session, batch)) as ReturnType<Store["append"]>,
    holders: (session, now) => at(now, () => inner.holders(session, now)) as ReturnType<Store["holders"]>,
    remove: (session, how) => at(how.now, () => inner.remove(session, how)) as ReturnType<Store["remove"]>,
  });
  return { ...opened, store: wrap(store), ...(reopen && { reopen: async () => wrap(await reopen()) }) };
}

function handle(handles: Store[], n: number): Store {
  const store = handles[n % handles.length];
  if (!store) throw new Error("no handle");
  return store;
}
