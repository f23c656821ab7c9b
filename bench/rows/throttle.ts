// A throttle's answer: kept up to date entry by entry, against a scan backwards through the messages.

import { throttled } from "../packages/sotto/src/attachments/throttle.ts";
import type { Entry } from "../packages/sotto/src/log/entries.ts";
import { applyEntry, initialState } from "../packages/sotto/src/log/state.ts";
import { conversation, type Message } from "./conversation.ts";
import { type BenchRow, median } from "./row.ts";

const ROUNDS = 7;
const REPEATS = 20_000;

export async function rows(): Promise<BenchRow[]> {
  return [1_000, 10_000, 100_000].map(row);
}

function row(messages: number): BenchRow {
  const state = initialState();
  let seq = 0;
  const assistantTurn = (): Entry => ({
    kind: "event",
    v: 1,
    at: "2026-11-15T10:00:00.000Z",
    seq: ++seq,
    event: { type: "assistant_turn" },
  });
  for (let index = 0; index < messages / 2; index++) applyEntry(state, assistantTurn());
  const history = conversation(messages);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      applyEntry(state, assistantTurn());
      const { assistant } = state.facts.turns;
      const rule = { minTurnsBetween: 3, minTurnsAfterTrigger: 5 };
      const why = throttled({
        rule,
        now: assistant,
        since: state.facts.todos.writtenAt,
        sent: [assistant],
        total: 1,
      });
      if (why === undefined) throw new Error("it was said just now");
    }
    ours.push(((performance.now() - from) / REPEATS) * 1000);
    theirs.push(scanBackwards(history));
  }
  const name = `throttle after one more message, ${messages} messages`;
  return {
    name,
    baseline: "a scan backwards for the last todo write",
    ours: median(ours),
    theirs: median(theirs),
    unit: "µs",
  };
}

function scanBackwards(history: readonly Message[]): number {
  const from = performance.now();
  let turns = 0;
  for (let index = history.length - 1; index >= 0; index--) {
    const { role, content } = history[index] as Message;
    if (
      role === "assistant" &&
      content.some((block) => block.type === "tool_use" && block.name === "TodoWrite")
    )
      break;
    if (role === "assistant" && content.length > 0) turns++;
  }
  if (turns === 0) throw new Error("the history has assistant messages");
  return (performance.now() - from) * 1000;
}
