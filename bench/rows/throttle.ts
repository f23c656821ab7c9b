// A throttle's answer: kept up to date entry by entry, against a scan backwards through the messages.

import { throttled } from "../../packages/sotto/src/attachments/throttle.ts";
import type { Entry } from "../../packages/sotto/src/log/entries.ts";
import { applyEntry, initialState } from "../../packages/sotto/src/log/state.ts";
import type { Bench } from "../bench.ts";
import { conversation, type Message } from "../inputs/conversation.ts";

const REPEATS = 20_000;

export async function measure(bench: Bench): Promise<void> {
  for (const messages of [1_000, 10_000, 100_000]) {
    const afterOneMore = throttleAfter(messages);
    const history = conversation(messages);
    const scans = Math.ceil(200_000 / messages);
    afterOneMore(REPEATS);
    await bench.row({
      name: `throttle after one more message, ${messages.toLocaleString("en")} messages`,
      unit: "µs",
      baseline: "a scan backwards for the last todo write",
      ...(messages === 10_000 ? { goal: { timesBetter: 100 } } : {}),
      ours: () => afterOneMore(REPEATS),
      theirs: () => scanBackwards(history, scans),
    });
  }
}

/** Microseconds for each message: its entry is folded in, and the throttle asked. */
function throttleAfter(messages: number): (repeats: number) => number {
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
  return (repeats) => {
    const from = performance.now();
    for (let repeat = 0; repeat < repeats; repeat++) {
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
    return ((performance.now() - from) / repeats) * 1000;
  };
}

function scanBackwards(history: readonly Message[], repeats: number): number {
  const from = performance.now();
  for (let repeat = 0; repeat < repeats; repeat++) {
    let turns = 0;
    for (let index = history.length - 1; index >= 0; index--) {
      const { role, content } = history[index] as Message;
      if (role === "assistant" && typeof content === "object" && content.some(isTodoWrite)) break;
      if (role === "assistant" && content.length > 0) turns++;
    }
    if (turns === 0) throw new Error("the history has assistant messages");
  }
  return ((performance.now() - from) / repeats) * 1000;
}

function isTodoWrite({ type, name }: { type: string; name?: unknown }): boolean {
  return type === "tool_use" && name === "TodoWrite";
}
