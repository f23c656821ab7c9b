// What gateways on one store know in common: it comes with the turns, and goes with the sessions.

import { anthropicMessages, createMemoryStore, createSession, SottoError } from "sotto";
import type { Batch, Mark, Store } from "sotto/extend";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMarks, type Marks, readOnly } from "./marks.ts";

/** A store that lists what is appended to it, and lets a test fail the next call. */
function listed(base: Store = createMemoryStore()) {
  const batches: { session: string; batch: Batch }[] = [];
  const faults: ("before" | "after")[] = [];
  const store: Store = {
    ...base,
    async append(session, batch) {
      const fault = batch.entries.some(({ kind }) => kind === "turn") ? faults.shift() : undefined;
      if (fault === "before") throw new SottoError("store_failed", "refused");
      batches.push({ session, batch });
      const appended = await base.append(session, batch);
      if (fault === "after") throw new SottoError("store_failed", "done or not");
      return appended;
    },
  };
  return { store, batches, faults };
}

async function talk(marks: Marks, id = "s") {
  const config = { critical_instruction: "Be kind.", timeout_ms: 30_000 };
  const session = createSession({
    ...{ id, store: marks.store, home: "/nonexistent", cwd: "/nonexistent", preset: "assistant" as const },
    ...{ configFiles: { read: false }, config },
  });
  onTestFinished(() => session.close());
  const messages: { role: "user" | "assistant"; content: string }[] = [];
  return async (...more: string[]) => {
    const number = messages.length;
    messages.push({ role: "user", content: `Message ${number}.` });
    const marksOf = (turn: number): Mark[] => [
      { name: `head ${number}`, value: `${turn}@${id}` },
      ...more.map((name) => ({ name, value: id })),
    ];
    const body = { model: "m", messages: [...messages] };
    const turn = await marks.withTurn(id, marksOf, () => session.turn({ dialect: anthropicMessages, body }));
    messages.push({ role: "assistant", content: "Yes." });
    return turn;
  };
}

describe("marks of a turn", () => {
  it("come with the write that the turn makes anyway", async () => {
    const { store, batches } = listed();
    const say = await talk(createMarks(store));
    for (const turn of [1, 2, 3]) {
      batches.length = 0;
      await say();
      const withMarks = batches.filter(({ batch }) => batch.marks !== undefined);
      expect(withMarks).toHaveLength(1);
      expect(withMarks[0]?.batch.entries.some(({ kind }) => kind === "turn")).toBe(true);
      expect(batches.every(({ batch }) => batch.entries.length > 0)).toBe(true);
      expect(await createMarks(store).read([`head ${2 * (turn - 1)}`])).toEqual([`${turn}@s`]);
    }
    expect((await store.sessions()).map(({ id }) => id)).toEqual(["s"]);
    await store.remove("s", { now: Date.now(), force: true });
    expect(await createMarks(store).read(["head 0", "head 2"])).toEqual([undefined, undefined]);
  });

  it.each(["before", "after"] as const)(
    "are there all the same if that write fails %s it is done",
    async (when) => {
      const { store, faults } = listed();
      const marks = createMarks(store);
      const say = await talk(marks);
      await say();
      faults.push(when);
      const { number } = await say();
      const [found] = await createMarks(store).read(["head 2"]);
      expect(found).toBe(number > 0 || when === "after" ? "2@s" : undefined);
      expect((await say()).number).toBeGreaterThan(1);
      expect(await createMarks(store).read(["head 4"])).toEqual([expect.stringMatching(/^\d@s$/u)]);
    },
  );

  it("tell who was first: another process keeps what it has set", async () => {
    const store = createMemoryStore();
    const [one, two] = [createMarks(store), createMarks(store)];
    await (await talk(one, "a"))("next");
    await two.put("b", [{ name: "next", value: "b" }]);
    expect(await two.read(["next"])).toEqual(["a"]);
  });

  it("that are put are known at once", async () => {
    const marks = createMarks(createMemoryStore());
    const written = marks.put("s", [{ name: "done", value: "1" }]);
    expect(await marks.read(["done"])).toEqual(["1"]);
    await written;
    await marks.put("s", [{ name: "done", value: "2" }]);
    expect(await marks.read(["done"])).toEqual(["1"]);
  });
});

describe("a mark by itself", () => {
  it("is set once, however many ask at the same time, and is asked for once in a process", async () => {
    const { store, batches } = listed();
    const marks = createMarks(store);
    const set = (value: string) => marks.set("s", { name: "main", value });
    expect(await Promise.all([set("1"), set("2"), marks.read(["main"])])).toEqual(["1", "1", ["1"]]);
    expect(await set("3")).toBe("1");
    expect(batches).toHaveLength(1);
    expect(await createMarks(store).set("t", { name: "main", value: "4" })).toBe("1");
  });

  it("of looking only is none", async () => {
    const store = createMemoryStore();
    const look = readOnly(createMarks(store));
    expect(await look.set("s", { name: "main", value: "1" })).toBe("1");
    await look.put("s", [{ name: "next", value: "2" }]);
    expect(await look.read(["main", "next"])).toEqual([undefined, undefined]);
  });
});

describe("a store that keeps no marks", () => {
  it("keeps them as claims, for every process", async () => {
    const { marks: _none, ...plain } = createMemoryStore();
    const [one, two] = [createMarks(plain), createMarks(plain)];
    await (await talk(one))("next");
    expect(await two.read(["head 0", "missing", "next"])).toEqual(["1@s", undefined, "s"]);
    expect(await two.set("other", { name: "next", value: "other" })).toBe("s");
    expect((await plain.sessions()).map(({ id }) => id)).toEqual(["s"]);
  });
});
