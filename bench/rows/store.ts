// Appends per second through the SQLite store, beside bare node:sqlite inserts in transactions of the same size.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { NewEntry } from "../../packages/sotto/src/log/entries.ts";
import { createSqliteStore } from "../../packages/sotto/src/stores/sqlite/sqlite.ts";
import type { Bench } from "../bench.ts";

const BASELINE = "node:sqlite, same JSON, same transactions, WAL, synchronous NORMAL";

const entry: NewEntry = {
  kind: "event",
  v: 1,
  at: "2026-11-15T10:00:00.000Z",
  event: {
    type: "file_read",
    path: "/project/src/index.ts",
    content: "export const answer = 42;\n".repeat(12),
  },
};

interface Shape {
  name: string;
  size: number;
  batches: number;
  /** How many databases are made, one after the other. */
  opens?: number;
}

const shapes: readonly Shape[] = [
  { name: "append, 1 entry each", size: 1, batches: 5_000 },
  { name: "append, 10 entries each", size: 10, batches: 2_000 },
  { name: "append, 100 entries each", size: 100, batches: 300 },
  { name: "open, append 1 entry, close", size: 1, batches: 1, opens: 50 },
];

export async function measure(bench: Bench): Promise<void> {
  for (const shape of shapes) {
    const { name, size, batches } = shape;
    const batch = Array.from({ length: size }, () => entry);
    await bench.row({
      name,
      unit: "entries/s",
      baseline: BASELINE,
      ours: () => perSecond(shape, (path) => throughStore(path, batch, batches)),
      theirs: () => perSecond(shape, (path) => bare(path, batch, batches)),
    });
  }
}

async function perSecond(
  { size, batches, opens = 1 }: Shape,
  run: (path: string) => Promise<number> | number,
): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "sotto-bench-"));
  try {
    const started = performance.now();
    for (let open = 0; open < opens; open++) {
      const kept = await run(join(directory, `${open}.db`));
      if (kept !== size * batches) throw new Error(`${kept} entries kept, ${size * batches} appended`);
    }
    return (opens * size * batches * 1000) / (performance.now() - started);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function throughStore(path: string, entries: NewEntry[], batches: number): Promise<number> {
  const store = createSqliteStore({ path });
  for (let index = 0; index < batches; index++) {
    const appended = await store.append("session", { entries });
    if (!appended.ok || appended.last !== (index + 1) * entries.length)
      throw new Error("a batch was not appended");
  }
  const [summary] = await store.sessions();
  await store.close();
  return summary?.entries ?? 0;
}

function bare(path: string, entries: readonly object[], batches: number): number {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("CREATE TABLE entries (seq INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  const begin = database.prepare("BEGIN IMMEDIATE");
  const insert = database.prepare("INSERT INTO entries (body) VALUES (?)");
  const commit = database.prepare("COMMIT");
  for (let index = 0; index < batches; index++) {
    begin.run();
    for (const each of entries) insert.run(JSON.stringify(each));
    commit.run();
  }
  const kept = database.prepare("SELECT max(seq) AS kept FROM entries").get();
  database.close();
  return Number(kept?.kept);
}
