// Many sessions open in one process, as a server has them: the heap of each, and what opening one more costs.

import type { Bench } from "../bench.ts";
import { runChild } from "../children/child.ts";
import type { Step } from "../children/many-sessions.ts";

const FEW = 200;
const MANY = 10_000;
const STEPS = 5;

export async function measure(bench: Bench): Promise<void> {
  const row = (name: string, next: () => Step) => {
    let step: Step | undefined;
    return bench.row({
      name: `${name}, heap of each`,
      unit: "KB",
      baseline: "its messages, parsed",
      goal: { figure: 40 },
      ours: () => {
        step = next();
        return step.heapKb;
      },
      theirs: () => step?.messagesKb ?? Number.NaN,
    });
  };
  for (const store of ["memory", "sqlite"])
    await row(`${FEW} open sessions with five turns, ${store === "sqlite" ? "SQLite" : "in memory"}`, () => {
      const [step] = runChild<Step[]>("many-sessions.ts", store, 5, FEW);
      return step as Step;
    });
  const counts = Array.from({ length: STEPS }, (_, index) => ((index + 1) * MANY) / STEPS);
  const steps = runChild<Step[]>("many-sessions.ts", "sqlite", 1, ...counts);
  const inTurn = [...steps];
  await row(`${MANY.toLocaleString("en")} open sessions with a turn each, SQLite`, () => next(inTurn, steps));
  const timed = [...steps];
  let step: Step | undefined;
  await bench.row({
    name: `open a session and take a turn, up to ${MANY.toLocaleString("en")} others open, SQLite`,
    unit: "ms",
    baseline: "JSON.parse of its request",
    ours: () => {
      step = next(timed, steps);
      return step.ms;
    },
    theirs: () => step?.parseMs ?? Number.NaN,
  });
}

/** Each step is a repetition: the last ones show what many others cost. */
function next(rest: Step[], all: readonly Step[]): Step {
  return rest.shift() ?? (all.at(-1) as Step);
}
