// The heap of an open session.

import type { Bench } from "../bench.ts";
import { runChild } from "../children/child.ts";
import type { Step } from "../children/many-sessions.ts";

// So many that what the process compiles once counts little.
const SESSIONS = 1000;
const TURNS = 5;

export async function measure(bench: Bench): Promise<void> {
  for (const store of ["memory", "sqlite"]) {
    let step: Step | undefined;
    await bench.row({
      name: `heap of an open session with five turns, ${store === "sqlite" ? "SQLite" : "in memory"}`,
      unit: "KB",
      baseline: "its messages, parsed",
      goal: { figure: 40 },
      ours: () => {
        [step] = runChild<Step[]>("many-sessions.ts", store, TURNS, "awake", SESSIONS);
        return step?.heapKb ?? Number.NaN;
      },
      theirs: () => step?.messagesKb ?? Number.NaN,
    });
  }
}
