// The part of the stores' contract by which a session is found again: marks, each under a name of its own.

import { expect, it } from "vitest";
import type { Store } from "../../packages/sotto/src/log/entries.ts";
import { claim, note, numbers } from "./store-notes.ts";

export function describeMarks(opened: () => Store, another: () => Promise<Store | undefined>): void {
  const read = (store: Store, ...names: string[]) => store.marks?.(names);

  it("sets a mark unless its name is taken, in whichever session, and says what is there", async () => {
    const store = opened();
    const set = (session: string, ...marks: [name: string, value: string][]) =>
      store.append(session, { entries: [], marks: marks.map(([name, value]) => ({ name, value })) });
    expect(await read(store, "m")).toEqual([undefined]);
    expect(await set("a", ["m", "1"])).toMatchObject({ ok: true, marks: ["1"] });
    expect(await set("b", ["n", "2"], ["m", "3"], ["n", "4"])).toMatchObject({ marks: ["2", "1", "2"] });
    expect(await set("a", ["m", "5"])).toMatchObject({ marks: ["1"] });
    expect(await read(store, "n", "missing", "m", "n")).toEqual(["2", undefined, "1", "2"]);
    expect(await read(store)).toEqual([]);
    const odd = ["", "käy ' \" ; -- {}", "\u0000\u0001", "x".repeat(3000)];
    const values = odd.map((name): [string, string] => [name, `${name},"\\`]);
    expect(await set("a", ...values)).toMatchObject({ marks: values.map(([, value]) => value) });
    expect(await read(store, ...odd)).toEqual(values.map(([, value]) => value));
  });

  it("sets marks with the entries of their batch, or not at all", async () => {
    const store = opened();
    const marks = [{ name: "m", value: "1" }];
    await store.append("a", { entries: [note(1)], claim: claim("one", ["k"]) });
    expect(await store.append("a", { entries: [note(2)], claim: claim("two", ["k"]), marks })).toEqual({
      ok: false,
      taken: ["k"],
    });
    expect(await read(store, "m")).toEqual([undefined]);
    expect(await store.append("a", { entries: [note(3)], marks })).toEqual({
      ok: true,
      first: 2,
      last: 2,
      marks: ["1"],
    });
    expect(await store.append("a", { entries: [], marks: [] })).toEqual({ ok: true, first: 3, last: 2 });
  });

  it("forgets the marks of a session with it, and those of no other; a session of marks only is not listed", async () => {
    const store = opened();
    for (const session of ["a", "b"])
      await store.append(session, { entries: [], marks: [{ name: `of ${session}`, value: session }] });
    expect(await store.sessions()).toEqual([]);
    expect(await store.problems()).toEqual([]);
    expect(await store.remove("a", { now: 0 })).toEqual({ ok: true });
    expect(await read(store, "of a", "of b")).toEqual([undefined, "b"]);
    await store.append("b", { entries: [], marks: [{ name: "of a", value: "again" }] });
    expect(await read(store, "of a")).toEqual(["again"]);
  });

  it("lets exactly one of many set a mark, and tells it to the others", async () => {
    const store = opened();
    const other = await another();
    const results = await Promise.all(
      numbers(40).map((n) =>
        (n % 2 === 0 ? store : (other ?? store)).append(`s${n % 4}`, {
          entries: [note(n)],
          marks: [
            { name: n % 3 === 0 ? "m" : "n", value: String(n) },
            { name: n % 3 === 0 ? "n" : "m", value: String(n) },
          ],
        }),
      ),
    );
    const [m, n] = (await read(store, "m", "n")) ?? [];
    for (const [index, result] of results.entries())
      expect(result).toMatchObject({ ok: true, marks: (index + 1) % 3 === 0 ? [m, n] : [n, m] });
    await other?.close();
  });
}
