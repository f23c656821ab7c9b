// What is wrong with an export is named with its line.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "sotto";
import type { NewEntry } from "sotto/extend";
import { afterAll, expect, test } from "vitest";
import { exportLines } from "./store-export.ts";
import { importLines } from "./store-import.ts";

const directory = mkdtempSync(join(tmpdir(), "sotto-import-test-"));
afterAll(() => rmSync(directory, { recursive: true }));

async function exported(): Promise<string[]> {
  const store = createMemoryStore();
  const blob = await store.putBlob(Buffer.from("content"));
  const entry = (n: number): NewEntry => ({
    kind: "event",
    v: 1,
    at: `2026-11-15T00:00:0${n}.000Z`,
    event: {
      type: "file_read",
      path: `/${n}`,
      version: { realPath: `/${n}`, hash: blob, kind: "text", blob },
    },
  });
  await store.append("a", { entries: [entry(1), entry(2)] });
  const lines: string[] = [];
  const options = { sessions: await store.sessions(), blobs: true, onPage: () => undefined };
  for await (const line of exportLines(store, options)) lines.push(line);
  return lines;
}

async function importing(text: string): Promise<string[]> {
  const path = join(directory, "export.jsonl");
  writeFileSync(path, text);
  const kinds: string[] = [];
  for await (const { kind } of importLines(path)) kinds.push(kind);
  return kinds;
}

test("an export is read back, with or without a line feed at its end", async () => {
  const text = (await exported()).join("");
  const kinds = ["session", "entry", "entry", "blob"];
  expect([await importing(text), await importing(text.trimEnd())]).toEqual([kinds, kinds]);
});

const replaced = (at: number, from: RegExp, to: string) => (lines: string[]) =>
  lines.map((line, index) => (index === at ? line.replace(from, to) : line));

test.each<[string, (lines: string[]) => string[], string]>([
  ["nothing", () => [], "the export is empty"],
  ["no head", (lines) => lines.slice(1), "line 1: not an export of"],
  ["two heads", (lines) => [lines[0] ?? "", ...lines], "line 2: a second header"],
  [
    "another version",
    replaced(0, /"v":1/u, '"v":2'),
    "line 1: export version 2 is not supported; expected 1",
  ],
  ["broken JSON", replaced(2, /\}$/mu, ""), "line 3: not a JSON object"],
  ["a list", replaced(2, /^.*$/mu, "[]"), "line 3: not a JSON object"],
  ["an unknown kind", replaced(2, /"event"/u, '"rumour"'), 'line 3: "rumour" is not a known kind of line'],
  ["a newer entry", replaced(2, /"v":1/u, '"v":9'), "line 3: entry version 9 is not supported"],
  ["no time", replaced(2, /"at":"[^"]*"/u, '"at":"soon"'), "line 3: the entry has no time"],
  ["a wrong event", replaced(2, /"\/1"/u, "7"), "line 3: file_read.path"],
  ["a gap", replaced(3, /"seq":2/u, '"seq":3'), "line 4: expected entry 2, got entry 3"],
  ["a session too short", (lines) => lines.slice(0, 3), "line 3: session a has 1 of its 2 entries"],
  ["a session twice", (lines) => [...lines, ...lines.slice(1)], "line 6: session a appears twice"],
  [
    "a session missing",
    replaced(0, /"sessions":1/u, '"sessions":2'),
    "the export ends after 1 of 2 sessions",
  ],
  ["another content", replaced(4, /"content":"..../u, '"content":"AAAA'), "line 5: blob"],
])("%s", async (_name, change, words) => {
  await expect(importing(change(await exported()).join(""))).rejects.toThrow(words);
});
