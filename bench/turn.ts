// A whole turn with nothing to say, all types on: with the request given, and without.

import { anthropicMessages, createSession } from "sotto";
import { conversation, goOn, type Message } from "./conversation.ts";
import { type BenchRow, median } from "./row.ts";

const TURNS = 200;
const GENERATORS = 10;
const BASELINE = "ten generators, each looking back through the messages for what it last did";

export async function rows(): Promise<BenchRow[]> {
  return [await withBody(1_000), await withBody(10_000), await withoutBody(10_000)];
}

async function withBody(messages: number): Promise<BenchRow> {
  const history = conversation(messages);
  const session = createSession({
    cwd: "/repo",
    agent: { kind: "main" },
    config: { enable_token_usage: true },
  });
  await session.record({
    type: "todos_written",
    items: [{ content: "Mend the parser", status: "completed" }],
  });
  const times: number[] = [];
  const lookBacks: number[] = [];
  for (let index = 0; index < TURNS; index++) {
    goOn(history);
    const body = { model: "m", max_tokens: 1, messages: history };
    const from = performance.now();
    const turn = await session.turn({ dialect: anthropicMessages, body: body as never });
    times.push(performance.now() - from);
    if (turn.reminders.length > 0 || turn.problem !== undefined) throw new Error("there was nothing to say");
    if ((turn.body as typeof body).messages.length !== history.length) throw new Error("the request changed");
    await turn.commit();
    lookBacks.push(lookBack(history));
  }
  await session.close();
  // The first turns read the whole history; every later one only what is new.
  const name = `whole turn, nothing to say, ${messages} messages, request given`;
  return {
    name,
    baseline: BASELINE,
    ours: median(times.slice(5)),
    theirs: median(lookBacks.slice(5)),
    unit: "ms",
  };
}

async function withoutBody(messages: number): Promise<BenchRow> {
  const history = conversation(messages);
  const session = createSession({
    cwd: "/repo",
    agent: { kind: "main" },
    config: { enable_token_usage: true },
  });
  await session.record({
    type: "todos_written",
    items: [{ content: "Mend the parser", status: "completed" }],
  });
  for (let index = 0; index < messages / 2; index++) void session.record({ type: "assistant_turn" });
  const times: number[] = [];
  const lookBacks: number[] = [];
  for (let index = 0; index < TURNS; index++) {
    await session.record({ type: "assistant_turn" });
    const from = performance.now();
    const turn = await session.turn({ userPrompt: "go on" });
    times.push(performance.now() - from);
    if (turn.reminders.length > 0) throw new Error("there was nothing to say");
    await turn.commit();
    lookBacks.push(lookBack(history));
  }
  await session.close();
  const name = `whole turn, nothing to say, ${messages} messages, host places reminders itself`;
  return {
    name,
    baseline: BASELINE,
    ours: median(times.slice(5)),
    theirs: median(lookBacks.slice(5)),
    unit: "ms",
  };
}

/** What such systems do per turn: each generator walks back to find its last reminder, and finds none. */
function lookBack(history: readonly Message[]): number {
  const from = performance.now();
  let found = 0;
  for (let generator = 0; generator < GENERATORS; generator++) {
    const mark = `<system-reminder>\nGenerator ${generator}`;
    for (let index = history.length - 1; index >= 0; index--)
      for (const block of (history[index] as Message).content)
        if (typeof block.text === "string" && block.text.startsWith(mark)) found++;
  }
  if (found > 0) throw new Error("there was nothing to find");
  return performance.now() - from;
}
