// A whole turn with nothing to say, all types on: with the request given, and without.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "sotto";
import { type Bench, type Goal, timeOf } from "../bench.ts";
import { median } from "../figures.ts";
import { conversation, goOn, type Message } from "../inputs/conversation.ts";
import { quietSession, quietTurn } from "../inputs/quiet-session.ts";

const TURNS = 30;
// Whoever has 10,000 messages has taken thousands of turns, so the code is compiled; and the first of a session are left out,
// as they read the whole history.
const WARM_UP = 2000;
const FIRST = 10;
const GENERATORS = 10;
const LOOK_BACK = "ten generators, each looking back through the messages for what it last said";

export async function measure(bench: Bench): Promise<void> {
  await onSqlite(bench, 10);
  await warmUp();
  await withBody(bench, 1_000);
  await withBody(bench, 10_000, { figure: 0.4 });
  await withoutBody(bench, 10_000);
}

/** In a conversation of its own, so that the others keep their length. */
async function warmUp(): Promise<void> {
  const history = conversation(10);
  const session = await quietSession();
  for (let turn = 0; turn < WARM_UP; turn++) {
    goOn(history);
    await quietTurn(session, history);
  }
  await session.close();
}

async function onSqlite(bench: Bench, messages: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "sotto-bench-turn-"));
  const store = createSqliteStore({ path: join(directory, "sotto.db") });
  const database = new DatabaseSync(join(directory, "bare.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("CREATE TABLE entries (seq INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  const insert = database.prepare("INSERT INTO entries (body) VALUES (?)");
  let session = 0;
  try {
    await bench.row({
      name: `turn, nothing to say, ${messages} messages, SQLite`,
      unit: "ms",
      baseline: "one insert through node:sqlite",
      goal: { figure: 0.3 },
      ours: async () => {
        // A conversation of its own each time: it stays short.
        const short = await quietSession({ store, id: `session-${session++}` });
        const history = conversation(messages);
        const times: number[] = [];
        for (let turn = 0; turn < WARM_UP + TURNS; turn++) times.push(await quietTurn(short, history));
        await short.close();
        return median(times.slice(WARM_UP));
      },
      theirs: async () => {
        const times: number[] = [];
        for (let turn = 0; turn < TURNS; turn++)
          times.push(await timeOf(() => insert.run(JSON.stringify({ turn, kind: "turn", at: Date.now() }))));
        return median(times);
      },
    });
  } finally {
    database.close();
    await store.close();
    rmSync(directory, { recursive: true });
  }
}

async function withBody(bench: Bench, messages: number, goal?: Goal): Promise<void> {
  const history = conversation(messages);
  const session = await quietSession();
  const turns = async (count: number) => {
    const times: number[] = [];
    for (let turn = 0; turn < count; turn++) {
      goOn(history);
      times.push(await quietTurn(session, history));
    }
    return median(times);
  };
  await turns(FIRST);
  await bench.row({
    name: `turn, nothing to say, ${messages.toLocaleString("en")} messages, the same objects`,
    unit: "ms",
    baseline: LOOK_BACK,
    ...(goal === undefined ? {} : { goal }),
    ours: () => turns(TURNS),
    theirs: () => lookBacks(history),
  });
  await session.close();
}

async function withoutBody(bench: Bench, messages: number): Promise<void> {
  const session = await quietSession();
  for (let turn = 0; turn < messages / 2; turn++) void session.record({ type: "assistant_turn" });
  const turns = async (count: number) => {
    const times: number[] = [];
    for (let turn = 0; turn < count; turn++) {
      await session.record({ type: "assistant_turn" });
      const from = performance.now();
      const taken = await session.turn({ userPrompt: "go on" });
      if (taken.reminders.length > 0) throw new Error("there was nothing to say");
      times.push(performance.now() - from);
      await taken.commit();
    }
    return median(times);
  };
  await turns(FIRST);
  const history = conversation(messages);
  await bench.row({
    name: `turn, nothing to say, ${messages.toLocaleString("en")} messages, the host places reminders itself`,
    unit: "ms",
    baseline: LOOK_BACK,
    ours: () => turns(TURNS),
    theirs: () => lookBacks(history),
  });
  await session.close();
}

async function lookBacks(history: readonly Message[]): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) times.push(await timeOf(() => lookBack(history)));
  return median(times);
}

/** What such systems do in each turn: each generator walks back to find its last reminder, and finds none. */
function lookBack(history: readonly Message[]): void {
  for (let generator = 0; generator < GENERATORS; generator++) {
    const mark = `<system-reminder>\nGenerator ${generator}`;
    for (let index = history.length - 1; index >= 0; index--)
      for (const block of (history[index] as Message).content)
        if (typeof block === "object" && typeof block.text === "string" && block.text.startsWith(mark))
          throw new Error("there was nothing to find");
  }
}
