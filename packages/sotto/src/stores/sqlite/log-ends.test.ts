import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { createSqliteStore } from "./sqlite.ts";

const entry = (at: string) => ({ kind: "turn" as const, v: 1, at, turn: 1, trace: [] }) as never;

function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), "sotto-log-ends-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, "sotto.db");
}

const steps = fc.array(
  fc.record({
    store: fc.nat(2),
    session: fc.constantFrom("a", "b"),
    does: fc.constantFrom("append", "append", "append two", "nothing", "refused", "remove"),
  }),
  { minLength: 2, maxLength: 25 },
);

it("a store that says an entry is the last one is right, whatever other stores on the file do", async () => {
  let known = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const path = newPath();
      const stores = Array.from({ length: 3 }, () => createSqliteStore({ path }));
      let count = 0;
      for (const { store: at, session, does } of taken) {
        const store = stores[at] ?? stores[0];
        if (does === "append" || does === "append two") {
          const entries = Array.from({ length: does === "append" ? 1 : 2 }, () => entry(`at ${count++}`));
          await store?.append(session, { entries });
        }
        if (does === "refused") {
          const claim = { keys: ["k"], owner: `owner ${count++}`, now: 0, expiresAt: 1 };
          await store?.append(session, { entries: [entry(`at ${count}`)], claim });
        }
        if (does === "remove") await store?.remove(session, { now: 10, force: true });
        for (const one of stores)
          for (const name of ["a", "b"]) {
            const { entries } = await one.read(name, 0);
            const last = entries.at(-1);
            for (const { seq, at: time } of entries) {
              const isLast = one.isLast?.(name, { seq, at: time }) ?? false;
              if (isLast) known++;
              expect(!isLast || last?.seq === seq).toBe(true);
            }
            expect(one.isLast?.(name, { seq: (last?.seq ?? 0) + 1, at: "later" })).toBe(false);
          }
      }
      await Promise.all(stores.map((one) => one.close()));
    }),
    { numRuns: 30 },
  );
  expect(known).toBeGreaterThan(30);
});

it("a store says so only of what it wrote itself, and until another one writes anything", async () => {
  const path = newPath();
  const [mine, other] = [createSqliteStore({ path }), createSqliteStore({ path })];
  const end = { seq: 2, at: "two" };
  await mine.append("s", { entries: [entry("one")] });
  expect(mine.isLast?.("s", { seq: 1, at: "one" })).toBe(false);
  await mine.append("s", { entries: [entry("two")] });
  expect(mine.isLast?.("s", end)).toBe(true);
  expect(mine.isLast?.("s", { ...end, at: "another" })).toBe(false);
  expect(other.isLast?.("s", end)).toBe(false);
  await other.append("another", { entries: [entry("three")] });
  expect(mine.isLast?.("s", end)).toBe(false);
  await mine.close();
  expect(mine.isLast?.("s", end)).toBe(false);
  await other.close();
});
