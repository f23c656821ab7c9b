// Opening a session of 100 000 entries and taking a turn: snapshot and tail, against reading the transcript.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, createSqliteStore } from "sotto";
import type { NewEntry } from "sotto/extend";
import { type BenchRow, median } from "./row.ts";

const ENTRIES = 100_000;
const ROUNDS = 7;

export async function rows(): Promise<BenchRow[]> {
  const directory = mkdtempSync(join(tmpdir(), "sotto-bench-"));
  try {
    const path = join(directory, "sotto.db");
    const transcript = join(directory, "transcript.jsonl");
    await fill(path, transcript);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await openOurs(path));
      theirs.push(readTranscript(transcript));
    }
    return [
      {
        name: `open a session of ${ENTRIES.toLocaleString("en")} entries and take a turn`,
        baseline: "parse the transcript, a line an entry, and count",
        ours: median(ours),
        theirs: median(theirs),
        unit: "ms",
      },
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function fill(path: string, transcript: string): Promise<void> {
  const store = createSqliteStore({ path });
  const first = createSession({ id: "long", cwd: "/repo", agent: { kind: "main" }, store });
  await first.record({ type: "todos_written", items: [{ content: "Mend the parser", status: "completed" }] });
  const entries: NewEntry[] = Array.from({ length: ENTRIES }, (_, index) => ({
    kind: "event",
    v: 1,
    at: "2026-11-15T10:00:00.000Z",
    event:
      index % 2 === 0
        ? { type: "assistant_turn" }
        : { type: "tool_finished", toolName: "Read", callId: `call_${index}`, success: true, durationMs: 3 },
  }));
  for (let at = 0; at < entries.length; at += 1000)
    await store.append("long", { entries: entries.slice(at, at + 1000) });
  // A turn folds the rest and leaves a snapshot behind.
  await first.turn();
  await first.close();
  await store.close();
  writeFileSync(transcript, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
}

async function openOurs(path: string): Promise<number> {
  const from = performance.now();
  const store = createSqliteStore({ path });
  const session = createSession({ id: "long", cwd: "/repo", agent: { kind: "main" }, store });
  const turn = await session.turn();
  const ms = performance.now() - from;
  if (turn.trace.find(({ type }) => type === "todo_reminder")?.reason !== "all 1 items are completed")
    throw new Error(`the session was not read: ${turn.problem}`);
  await session.close();
  await store.close();
  return ms;
}

function readTranscript(path: string): number {
  const from = performance.now();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const turns = lines
    .map((line) => JSON.parse(line))
    .filter((entry) => entry.event.type === "assistant_turn").length;
  if (turns !== ENTRIES / 2) throw new Error("lines were lost");
  return performance.now() - from;
}
