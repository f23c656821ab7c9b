// Names, keys, owners and contents that would break out of a statement, or that Postgres cannot hold: stored and read
// back as they are, or refused in words.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestSchema, testSchema } from "../../../../../test/support/postgres.ts";
import { note } from "../../../../../test/support/store-notes.ts";
import type { NewEntry, Store } from "../../log/entries.ts";
import { createPostgresStore } from "./postgres.ts";
import { readText, storedKey, storedText } from "./stored-text.ts";

let schema: TestSchema;
let store: Store;
beforeAll(async () => {
  schema = await testSchema();
  store = createPostgresStore({ connectionString: schema.url });
});
afterAll(async () => {
  await store.close();
  await schema.drop();
});

const texts: [string, string][] = [
  ["quotes", `'; DROP TABLE sessions; -- " \\ $1 $$ {a,b} NULL %s`],
  ["NUL", "a\0b"],
  ["only NUL", "\0"],
  ["half a pair", "\ud800"],
  ["the other half", "\udc00"],
  ["another half", "\ud801"],
  ["what stands for a half", "\ufffd"],
  ["the mark of an escape", '\u0001"a\\u0000b"'],
  ["a hash that is none", "\u0001sha256:00"],
  ["an empty one", ""],
  ["spaces", " \t\n\r "],
  ["letters of two scripts", "и\u0301 و ✓ 𝒳"],
  ["many halves", "\ud800".repeat(10_000)],
];
const long = "x".repeat(10 * 1024 * 1024);

it("every text is told from every other, and comes back as it was", () => {
  const all = [...texts.map(([, text]) => text), long, `${long}y`];
  expect(new Set(all.map(storedKey)).size).toBe(all.length);
  for (const [, text] of texts) {
    const stored = storedText(text);
    expect(stored.isWellFormed() && !stored.includes("\0")).toBe(true);
    expect(readText(stored) === text).toBe(true);
    expect(storedKey(text).length).toBeLessThanOrEqual(500);
  }
});

it.each(texts)("a session, a key, an owner and a content: %s", async (_, text) => {
  const event = { type: "prompt_queued", id: text, prompt: text };
  const entry = { ...note(1), event, [text.slice(0, 1000)]: text.slice(0, 1000) } as unknown as NewEntry;
  const claim = (owner: string) => ({ keys: [text], owner, now: 0, expiresAt: 600_000 });
  expect(await store.append(text, { entries: [entry], claim: claim(text) })).toEqual({
    ok: true,
    first: 1,
    last: 1,
  });
  expect(await store.append(text, { entries: [], claim: claim("else") })).toEqual({
    ok: false,
    taken: [text],
  });
  const { entries, damaged } = await store.read(text, 0);
  expect(damaged).toEqual([]);
  expect(JSON.stringify(entries[0]) === JSON.stringify({ ...entry, seq: 1 })).toBe(true);
  expect(await store.holders(text, 0)).toEqual([text]);
  await store.saveSnapshot(text, { seq: 1, version: 1, state: { [text.slice(0, 1000)]: text } });
  expect(JSON.stringify(await store.snapshot(text)).length).toBeGreaterThan(text.length);
  expect((await store.sessions()).map(({ id }) => id === text)).toContain(true);
  expect(await store.getBlob(text)).toBeUndefined();
  expect(await store.remove(text, { now: 0 })).toEqual({ ok: false, owners: [text] });
  await store.append(text, { entries: [], release: { keys: [text], owner: text } });
  expect(await store.remove(text, { now: 0 })).toEqual({ ok: true });
  expect((await store.sessions()).map(({ id }) => id)).not.toContain(text);
});

it("ten megabytes as a name, a key and a content", async () => {
  const event = { type: "prompt_queued", id: "q", prompt: long };
  const entry = { ...note(1), event } as unknown as NewEntry;
  expect(await store.append(long, { entries: [entry], settle: [long] })).toEqual({
    ok: true,
    first: 1,
    last: 1,
  });
  const { entries } = await store.read(long, 0);
  expect(JSON.stringify(entries[0]) === JSON.stringify({ ...entry, seq: 1 })).toBe(true);
  expect((await store.sessions()).filter(({ id }) => id === long)).toHaveLength(1);
});

it("bytes that are no UTF-8 are kept as they are", async () => {
  const bytes = Uint8Array.of(0xff, 0, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80);
  expect(await store.getBlob(await store.putBlob(bytes))).toEqual(bytes);
});

it.each([" ", "\t", "\ufeff", '"', "'", '\ufeff "'])(
  "an address in %j is read without it",
  async (around) => {
    const given = createPostgresStore({
      connectionString: `${around}${schema.url}${[...around].reverse().join("")}`,
    });
    await given.append("address", { entries: [note(1)] });
    expect((await store.read("address", 0)).last).toBeGreaterThan(0);
    await given.close();
  },
);

it.each([
  "postgres//own:Zx9SeCrEt@h/d",
  "url=postgres://own:Zx9SeCrEt@h/d",
  "host=h password=Zx9SeCrEt",
  "'postgres://own:Zx9SeCrEt@h/d",
])("what is no address is refused without being repeated: %s", (connectionString) => {
  const make = () => createPostgresStore({ connectionString });
  expect(make).toThrow("connectionString: expected postgres://user:password@host/database");
  expect(make).not.toThrow(/Zx9/u);
});
