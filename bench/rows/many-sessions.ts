// 10,000 sessions open in one process, as a server has them: the heap of each, awake and asleep, and what opening one more
// costs.

import type { Bench } from "../bench.ts";
import { runChild } from "../children/child.ts";
import type { Step } from "../children/many-sessions.ts";

const MANY = 10_000;

export async function measure(bench: Bench): Promise<void> {
  // Each step is a repetition: the last ones show what many others cost.
  const counts = Array.from({ length: bench.repetitions }, (_, index) =>
    Math.round(((index + 1) * MANY) / bench.repetitions),
  );
  const steps = runChild<Step[]>("many-sessions.ts", "sqlite", 1, "awake", 0, ...counts);
  const asleep = runChild<Step[]>("many-sessions.ts", "sqlite", 1, "asleep", 0, ...counts);
  const inOrder = (figure: (step: Step) => number, of = steps) => {
    const figures = of.map(figure);
    return () => figures.shift() ?? Number.NaN;
  };
  const many = MANY.toLocaleString("en");
  await bench.row({
    name: `${many} open sessions with a turn each, SQLite, heap of each`,
    unit: "KB",
    baseline: "its messages, parsed",
    goal: { figure: 40 },
    ours: inOrder(({ heapKb }) => heapKb),
    theirs: inOrder(({ messagesKb }) => messagesKb),
  });
  await bench.row({
    name: `${many} sessions left alone after a turn each, SQLite, heap of each`,
    unit: "KB",
    baseline: "its messages, parsed",
    ours: inOrder(({ heapKb }) => heapKb, asleep),
    theirs: inOrder(({ messagesKb }) => messagesKb, asleep),
  });
  await bench.row({
    name: `open a session and take a turn, up to ${many} others open, SQLite`,
    unit: "ms",
    baseline: "JSON.parse of its request",
    ours: inOrder(({ ms }) => ms),
    theirs: inOrder(({ parseMs }) => parseMs),
  });
}
