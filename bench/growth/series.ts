// How times and memory grow: each figure at several sizes, beside its baseline.

import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { anthropicMessages, createMemoryStore, createSession } from "sotto";
import { createReadBody } from "sotto/internal";
import { timeOf } from "../bench.ts";
import { runChild } from "../children/child.ts";
import type { Step } from "../children/many-sessions.ts";
import { median } from "../figures.ts";
import { conversation, goOn, type Message, requestOf } from "../inputs/conversation.ts";
import { createLongLog } from "../inputs/long-log.ts";
import { quietSession, quietTurn } from "../inputs/quiet-session.ts";
import { createChecker, plantFiles } from "../inputs/tracked-files.ts";
import { freshBodies } from "../rows/fresh-body.ts";
import type { Chart, Line } from "./chart.ts";

/** Shows what is being measured. */
export type Progress = (what: string) => void;

interface Figures {
  /** How often each point is measured. */
  repetitions: number;
  progress: Progress;
}

export async function measureGrowth(figures: Figures): Promise<Chart[]> {
  return [
    await messages(figures),
    await reminders(figures),
    await files(figures),
    await entries(figures),
    await sessions(figures),
    await conversations(figures),
  ];
}

async function messages({ repetitions, progress }: Figures): Promise<Chart> {
  const same = line("turn, the same objects");
  const fresh = line("turn, a freshly parsed body");
  const parse = line("JSON.parse of that body", true);
  for (const size of [10, 100, 1_000, 10_000, 100_000]) {
    progress(`${size} messages`);
    const history = conversation(size);
    const session = await quietSession({ config: { timeout_ms: 60_000 } });
    const next = () => {
      goOn(history);
      return quietTurn(session, history);
    };
    for (let turn = 0; turn < (size > 10_000 ? 10 : 60); turn++) await next();
    add(same, size, await often(repetitions * 4, next));
    await session.close();
    const bodies = await freshBodies(size, { turns: 2, warmUp: size > 10_000 ? 3 : 40 });
    add(fresh, size, await often(repetitions, bodies.ours));
    add(parse, size, await often(repetitions, bodies.theirs));
    await bodies.close();
  }
  return { title: "Messages", across: "messages", up: "ms a turn", lines: [same, fresh, parse] };
}

/** Each was told by a turn of its own, and stands in the conversation since. */
async function reminders({ repetitions, progress }: Figures): Promise<Chart> {
  const turn = line("turn, nothing new to say");
  const put = line("putting each in its place", true);
  for (const size of [10, 100, 1_000]) {
    progress(`${size} reminders`);
    const history = conversation(10);
    const session = await quietSession({ config: { timeout_ms: 60_000 } });
    const places: number[] = [];
    const take = async (expected: number) => {
      goOn(history);
      const body = requestOf(history);
      const from = performance.now();
      const taken = await session.turn({ dialect: anthropicMessages, body: body as never });
      const added = (taken.body as typeof body).messages.length - history.length;
      if (taken.problem !== undefined || added !== expected)
        throw new Error(taken.problem ?? `${added} reminders instead of ${expected}`);
      const took = performance.now() - from;
      await taken.commit();
      return took;
    };
    for (let told = 1; told <= size; told++) {
      await session.record({ type: "prompt_queued", id: `q${told}`, prompt: `Keep reader ${told} for now.` });
      await take(told);
      places.push(history.length);
    }
    for (let warm = 0; warm < 100; warm++) await take(size);
    add(turn, size, await often(repetitions * 4, () => take(size)));
    const insert = () => {
      const list: Message[] = [];
      let copied = 0;
      for (const [index, place] of places.entries()) {
        for (; copied < place; copied++) list.push(history[copied] as Message);
        list.push({ role: "user", content: [{ type: "text", text: `Keep reader ${index} for now.` }] });
      }
      return list.concat(history.slice(copied));
    };
    add(put, size, await often(repetitions * 4, () => timeOf(insert)));
    await session.close();
  }
  return { title: "Reminders", across: "reminders in the conversation", up: "ms a turn", lines: [turn, put] };
}

/** A body that continues one of many, as the gateway and the integrations read it. */
async function conversations({ repetitions, progress }: Figures): Promise<Chart> {
  const own = line("reading a body that continues one");
  const parse = line("JSON.parse of it", true);
  const textOf = (name: number, length: number) =>
    JSON.stringify(requestOf([{ role: "user", content: `Task ${name}.` }, ...conversation(length).slice(1)]));
  for (const size of [10, 100, 1_000, 10_000]) {
    progress(`${size} conversations`);
    const read = createReadBody();
    for (let name = 0; name < size; name++) read("messages", textOf(name, 5));
    let next = 0;
    const bodies = Array.from({ length: repetitions * 8 }, (_, at) => textOf((at * 7919) % size, 7 + 2 * at));
    const one = (run: (text: string) => unknown) => () => {
      const text = bodies[next++ % bodies.length] as string;
      return timeOf(() => run(text));
    };
    const check = (text: string) => {
      const { messages: found } = read("messages", text).body as { messages: Message[] };
      const [first] = found;
      if (first === undefined || !text.includes(JSON.stringify(first))) throw new Error("read wrongly");
    };
    add(own, size, await often(bodies.length, one(check)));
    add(parse, size, await often(bodies.length, one(JSON.parse)));
  }
  return { title: "Conversations", across: "conversations that are known", up: "ms", lines: [own, parse] };
}

async function files({ repetitions, progress }: Figures): Promise<Chart> {
  const check = line("check what changed");
  const off = line("the same, watching off");
  const turn = line("whole turn");
  const stat = line("stat of each", true);
  for (const size of [100, 1_000, 10_000, 100_000]) {
    progress(`${size} files`);
    const tracked = plantFiles(size);
    try {
      for (const [to, options] of [
        [check, {}],
        [off, { watch: false }],
      ] as const) {
        const checker = await createChecker(tracked.files, options);
        add(to, size, await often(repetitions * 4, () => timeOf(() => checker.find([])), 5));
        checker.close();
      }
      add(turn, size, await wholeTurns(tracked, repetitions * 2));
      add(stat, size, await often(repetitions, () => timeOf(() => tracked.statEach(0))));
    } finally {
      tracked.remove();
    }
  }
  return { title: "Tracked files", across: "files, none changed", up: "ms", lines: [check, off, turn, stat] };
}

async function wholeTurns(
  { root, files }: { root: string; files: readonly string[] },
  turns: number,
): Promise<number> {
  const session = createSession({
    cwd: root,
    home: join(root, ".home"),
    agent: { kind: "main" },
    store: createMemoryStore(),
    config: { timeout_ms: 60_000 },
  });
  for (let at = 0; at < files.length; at += 500)
    await Promise.all(files.slice(at, at + 500).map((path) => session.record({ type: "file_read", path })));
  const next = () =>
    timeOf(async () => {
      const turn = await session.turn();
      if (turn.reminders.length > 0 || turn.problem !== undefined)
        throw new Error("there was nothing to say");
      await turn.commit();
    });
  for (let turn = 0; turn < 3; turn++) await next();
  await wait(500);
  for (let turn = 0; turn < 3; turn++) await next();
  const result = await often(turns, next, 5);
  await session.close();
  return result;
}

async function entries({ repetitions, progress }: Figures): Promise<Chart> {
  const open = line("open and take a turn");
  const read = line("parse the transcript", true);
  const log = await createLongLog();
  try {
    for (const size of [100, 1_000, 10_000, 100_000, 1_000_000]) {
      progress(`${size} log entries`);
      await log.fill(size);
      await log.open();
      add(open, size, await often(repetitions, log.open));
      add(read, size, await often(size > 100_000 ? 1 : repetitions, log.readTranscript));
    }
  } finally {
    log.remove();
  }
  return {
    title: "Log entries",
    across: "entries in the log of a session, SQLite",
    up: "ms",
    lines: [open, read],
  };
}

async function sessions({ progress }: Figures): Promise<Chart> {
  const open = line("open and take a turn, ms");
  const heap = line("heap of each, KB");
  const kept = line("its messages alone, KB", true);
  progress("1 to 10000 sessions");
  for (const step of runChild<Step[]>(
    "many-sessions.ts",
    "sqlite",
    1,
    "awake",
    0,
    1,
    10,
    100,
    1_000,
    10_000,
  )) {
    add(open, step.sessions, step.ms);
    // A few are lost in what else moves in the heap.
    if (step.sessions >= 100) {
      add(heap, step.sessions, step.heapKb);
      add(kept, step.sessions, step.messagesKb);
    }
  }
  return {
    title: "Open sessions",
    across: "sessions open in one process, SQLite",
    up: "ms, KB",
    lines: [open, heap, kept],
  };
}

function line(name: string, isBaseline = false): Line {
  return { name, isBaseline, points: [] };
}

function add({ points }: Line, size: number, figure: number): void {
  points.push([size, figure]);
}

async function often(count: number, run: () => number | Promise<number>, pause = 0): Promise<number> {
  const figures: number[] = [];
  for (let one = 0; one < count; one++) {
    if (pause > 0) await wait(pause);
    figures.push(await run());
  }
  return median(figures);
}
