// The heap of an open session.

import type { Bench } from "../bench.ts";
import { runChild } from "../children/child.ts";
import type { Step } from "../children/many-sessions.ts";

// So many that what the process compiles once counts little.
const SESSIONS = 1000;
const TURNS = 5;
const TOOLS = 15;

export async function measure(bench: Bench): Promise<void> {
  for (const { store, tools, of } of [
    { store: "memory", tools: 0, of: "in memory" },
    { store: "sqlite", tools: 0, of: "SQLite" },
    { store: "sqlite", tools: TOOLS, of: `${TOOLS} tools in each request, SQLite` },
  ]) {
    let step: Step | undefined;
    await bench.row({
      name: `heap of an open session with five turns, ${of}`,
      unit: "KB",
      baseline: "its last request, parsed",
      goal: { figure: 40 },
      ours: () => {
        [step] = runChild<Step[]>("many-sessions.ts", store, TURNS, "awake", tools, SESSIONS);
        return step?.heapKb ?? Number.NaN;
      },
      theirs: () => step?.messagesKb ?? Number.NaN,
    });
  }
}
