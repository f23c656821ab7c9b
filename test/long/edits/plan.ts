// Plans of conversations, made from a seed before anything is played: what can be listed can be shortened.

import { clearing, type EditName, firstMessage, renaming, trimming } from "./edits.ts";
import { type Random, randomFrom } from "./random.ts";
import { type WireName, wireNames } from "./wires.ts";

export const kinds = ["unedited", "cleared", "ids", "first", "trimmed"] as const;
export type Kind = (typeof kinds)[number];

export interface Answer {
  text?: string;
  thinking?: string;
  calls: { input: string; output: string }[];
}

export type Step =
  | { do: "event"; marker: string; shape: number }
  | { do: "prompt"; texts: string[] }
  | { do: "call"; fate: "answered" | "failed" | "unheard"; commit: boolean; answer: Answer }
  | { do: "edit"; edit: EditName; at: number; size: number }
  | { do: "reopen" };

export interface Habits {
  /** Has the reminders in its own history from then on. */
  keeps: boolean;
  /** How request bodies come about. */
  bodies: "fresh" | "same" | "parsed" | "reordered";
  store: "memory" | "sqlite";
  /** Edits that are made before every request. */
  always: EditName[];
}

export interface Plan {
  kind: Kind;
  seed: number;
  wire: WireName;
  habits: Habits;
  steps: Step[];
}

/** The same seed, the same plan. Low seeds are short. */
export function makePlan(kind: Kind, seed: number): Plan {
  const random = randomFrom(seed * 7919 + kinds.indexOf(kind) * 104_729);
  const turns = seed < 60 ? random.between(2, 4) : seed < 300 ? random.between(4, 8) : random.between(8, 18);
  const wire = random.pick(wireNames);
  const habits = makeHabits(random, kind);
  const commits = random.pick(["always", "never", "sometimes"]);
  const failures = random.pick([0, 0, 0.15, 0.35]);
  const retries = random.chance(0.15);
  const reopens = habits.store === "sqlite" || random.chance(0.2);
  const steps: Step[] = [];
  let marks = 0;
  for (let turn = 1; turn <= turns; turn++) {
    const events = random.pick([0, 0, 1, 1, 2]);
    for (let count = 0; count < events; count++)
      steps.push({ do: "event", marker: `MARK${++marks}X`, shape: random.between(0, 99) });
    if (reopens && (turn % 10 === 0 || random.chance(0.05))) steps.push({ do: "reopen" });
    if (turn > 1) steps.push(...someEdits(random, kind, turn));
    if (random.chance(0.4)) steps.push({ do: "prompt", texts: makePrompt(random, turn) });
    const commit = commits === "always" || (commits === "sometimes" && random.chance(0.5));
    if (retries)
      steps.push({ do: "call", fate: random.pick(["failed", "unheard"]), commit, answer: { calls: [] } });
    const fate = random.chance(failures) ? random.pick(["failed", "unheard"] as const) : "answered";
    steps.push({ do: "call", fate, commit, answer: makeAnswer(random, turn) });
  }
  // A last one that works, so that everything has had its chance.
  steps.push({ do: "call", fate: "answered", commit: true, answer: { text: "The end.", calls: [] } });
  return { kind, seed, wire, habits, steps };
}

const editsOf: Record<Kind, EditName[]> = {
  unedited: [],
  cleared: Object.keys(clearing) as EditName[],
  ids: Object.keys(renaming) as EditName[],
  first: Object.keys(firstMessage) as EditName[],
  trimmed: Object.keys(trimming) as EditName[],
};

const steady: Record<Kind, EditName[]> = {
  unedited: [],
  cleared: ["clearAllButLast"],
  ids: ["renumberCalls", "renumberMessages"],
  first: ["dateBeforeFirst", "contextBlock", "contextMessage"],
  trimmed: ["trimOldAnswers", "dropThinking"],
};

function makeHabits(random: Random, kind: Kind): Habits {
  return {
    keeps: random.chance(0.2),
    bodies: random.pick(["fresh", "fresh", "same", "parsed", "reordered"]),
    store: random.chance(0.04) ? "sqlite" : "memory",
    always: steady[kind].length > 0 && random.chance(0.25) ? [random.pick(steady[kind])] : [],
  };
}

function someEdits(random: Random, kind: Kind, turn: number): Step[] {
  const names = editsOf[kind];
  if (names.length === 0 || !random.chance(0.5)) return [];
  const count = random.pick([1, 1, 2]);
  return Array.from({ length: count }, () => ({
    do: "edit",
    edit: random.pick(names),
    at: random.next(),
    size: random.pick([1, 2, 3, turn]),
  }));
}

function makePrompt(random: Random, turn: number): string[] {
  if (random.chance(0.15)) return ["Go on."];
  if (random.chance(0.2)) return ["<command-name>/review</command-name>", "Review the code."];
  return [`Prompt ${turn}: please look at file ${random.between(1, 99)}.`];
}

function makeAnswer(random: Random, turn: number): Answer {
  const calls = Array.from({ length: random.pick([0, 0, 1, 1, 1, 2, 3]) }, () => ({
    input: `src/${random.between(1, 9)}.ts`,
    output: random.chance(0.1)
      ? "ok"
      : `output ${turn}-${random.between(1, 999)} `.repeat(random.pick([1, 1, 8])),
  }));
  const text = random.chance(0.1)
    ? "Done."
    : `Answer ${turn}:\n\n  it is ${random.between(1, 999)} words   long.`;
  return {
    ...((calls.length === 0 || random.chance(0.5)) && { text }),
    ...(random.chance(0.3) && { thinking: `Thought ${turn}-${random.between(1, 999)}` }),
    calls,
  };
}
