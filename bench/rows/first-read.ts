// The first read of a history in a process: a session that is resumed, a server that was restarted, `sotto turn`.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicMessages, createSession, createSqliteStore } from "sotto";
import type { Bench } from "../bench.ts";
import { runChild } from "../children/child.ts";
import type { FirstRead } from "../children/first-read.ts";
import { requestOf, talk } from "../inputs/conversation.ts";

const REMINDER = "Keep the old reader for now.";

export async function measure(bench: Bench): Promise<void> {
  for (const messages of [10_000, 50_000]) {
    const directory = mkdtempSync(join(tmpdir(), "sotto-bench-read-"));
    try {
      const database = join(directory, "sotto.db");
      const request = join(directory, "request.json");
      const text = JSON.stringify(requestOf(talk(messages)));
      writeFileSync(request, text);
      await startSession(database);
      const megabytes = text.length / 1e6;
      let read: FirstRead = { turnMs: 0, parseMs: 0 };
      await bench.row({
        name: `first read of a history in a process, ${messages.toLocaleString("en")} messages, ${Math.round(megabytes)} MB`,
        unit: "ms a MB",
        baseline: "JSON.parse of it",
        goal: { figure: 8 },
        ours: () => {
          read = runChild("first-read.ts", request, database, REMINDER);
          return read.turnMs / megabytes;
        },
        theirs: () => read.parseMs / megabytes,
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
}

/** An earlier process sent a reminder near the beginning of the conversation. */
async function startSession(database: string): Promise<void> {
  const store = createSqliteStore({ path: database });
  const session = createSession({
    id: "long",
    cwd: "/repo",
    home: "/repo/home",
    agent: { kind: "main" },
    store,
  });
  await session.record({ type: "prompt_queued", id: "q1", prompt: REMINDER });
  const turn = await session.turn({ dialect: anthropicMessages, body: requestOf(talk(5)) as never });
  if (!turn.reminders.some(({ text }) => text.includes(REMINDER)))
    throw new Error("the reminder was not sent");
  await turn.commit();
  await session.close();
  await store.close();
}
