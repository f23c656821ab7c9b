// A session with a log of any length in a database, and the same entries as a transcript.

import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, createSqliteStore } from "sotto";
import type { NewEntry } from "sotto/extend";
import { median } from "../figures.ts";
import { quietSession } from "./quiet-session.ts";

const OPENINGS = 5;
const BATCH = 1000;

export async function createLongLog() {
  const directory = mkdtempSync(join(tmpdir(), "sotto-bench-log-"));
  const path = join(directory, "sotto.db");
  const transcript = join(directory, "transcript.jsonl");
  const first = createSqliteStore({ path });
  await (await quietSession({ store: first, id: "long" })).close();
  await first.close();
  let filled = 0;
  return {
    /** Appends until the log has that many entries. */
    async fill(entries: number): Promise<void> {
      const store = createSqliteStore({ path });
      while (filled < entries) {
        const batch = Array.from({ length: Math.min(BATCH, entries - filled) }, () => entryAt(filled++));
        await store.append("long", { entries: batch });
        appendFileSync(transcript, batch.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      }
      await store.close();
      // A turn folds the rest and leaves a snapshot.
      await openOnce(path, 60_000);
    },
    async open(): Promise<number> {
      const times: number[] = [];
      for (let opening = 0; opening < OPENINGS; opening++) times.push(await openOnce(path));
      return median(times);
    },
    readTranscript(): number {
      const from = performance.now();
      let turns = 0;
      for (const line of readFileSync(transcript, "utf8").split("\n"))
        if (line !== "" && JSON.parse(line).event.type === "assistant_turn") turns++;
      if (turns !== Math.ceil(filled / 2)) throw new Error("lines were lost");
      return performance.now() - from;
    },
    remove: () => rmSync(directory, { recursive: true }),
  };
}

async function openOnce(path: string, timeout = 1000): Promise<number> {
  const from = performance.now();
  const store = createSqliteStore({ path });
  const session = createSession({
    id: "long",
    cwd: "/repo",
    home: "/repo/home",
    agent: { kind: "main" },
    config: { timeout_ms: timeout },
    store,
  });
  const turn = await session.turn();
  if (turn.trace.find(({ type }) => type === "todo_reminder")?.reason !== "all 1 items are completed")
    throw new Error(`the session was not read: ${turn.problem}`);
  const took = performance.now() - from;
  await turn.commit();
  await session.close();
  await store.close();
  return took;
}

function entryAt(index: number): NewEntry {
  return {
    kind: "event",
    v: 1,
    at: "2026-11-15T10:00:00.000Z",
    event:
      index % 2 === 0
        ? { type: "assistant_turn" }
        : { type: "tool_finished", toolName: "Read", callId: `call_${index}`, success: true, durationMs: 3 },
  };
}
