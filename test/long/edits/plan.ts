// Plans of conversations, made from a seed before anything is played: what can be listed can be shortened.

import { clearing, type EditName, edits, firstMessage, renaming, trimming } from "./edits.ts";
import { type Random, randomFrom } from "./random.ts";
import { type WireName, wireNames } from "./wires.ts";

export const kinds = [
  "unedited",
  "cleared",
  "ids",
  "first",
  "trimmed",
  "dialects",
  "mixed",
  "windows",
  "compacted",
  "quoted",
  "everything",
] as const;
export type Kind = (typeof kinds)[number];

export interface Answer {
  text?: string;
  thinking?: string;
  calls: { name: string; input: Record<string, unknown>; output: string }[];
}

/** What users say, and what the model answers. */
export interface Exchange {
  prompts: string[][];
  answer: Answer;
}

export type Step =
  | { do: "event"; marker: string; shape: number }
  | { do: "prompt"; texts: string[] }
  | {
      do: "call";
      fate: "answered" | "failed" | "unheard";
      commit: boolean;
      answer: Answer;
      /** Goes on from the model's own last message, where the provider takes that as history. */
      fromAnswer: boolean;
    }
  | { do: "edit"; edit: EditName; at: number; size: number }
  /** A request beside the conversation, the same each time; `summary` asks at the end of the conversation itself. */
  | { do: "aside"; name: "title" | "topic" | "summary"; commit: boolean }
  | { do: "dialect"; to: WireName }
  | { do: "window"; size: number }
  | { do: "compact"; said: boolean; keep: number }
  /** The user pastes a reminder, word for word. */
  | { do: "quote"; at: number }
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

interface Traits {
  edits?: EditName[];
  /** Edits that some clients make before every request. */
  steady?: EditName[];
  /** How likely each of these is, turn by turn. */
  dialect?: number;
  window?: number;
  compact?: number;
  aside?: number;
  quote?: number;
  fromAnswer?: number;
  commands?: number;
}

const named = (group: object) => Object.keys(group) as EditName[];
const often = { dialect: 0.05, aside: 0.1, fromAnswer: 0.05, commands: 0.3 };

const traitsOf: Record<Kind, Traits> = {
  unedited: {},
  cleared: { edits: named(clearing), steady: ["clearAllButLast"] },
  ids: { edits: named(renaming), steady: ["renumberCalls", "renumberMessages"] },
  first: { edits: named(firstMessage), steady: ["dateBeforeFirst", "contextBlock", "contextMessage"] },
  trimmed: { edits: named(trimming), steady: ["trimOldAnswers", "dropThinking"] },
  dialects: { dialect: 0.35 },
  mixed: {
    edits: named(edits),
    steady: ["clearAllButLast", "renumberCalls", "dateBeforeFirst"],
    dialect: 0.05,
  },
  windows: { window: 0.3, edits: ["clearOne"] },
  compacted: { compact: 0.25, aside: 0.3, commands: 0.6 },
  quoted: { quote: 0.4, fromAnswer: 0.4 },
  everything: { ...often, edits: named(edits), window: 0.05, compact: 0.08 },
};

/** The same seed, the same plan. Low seeds are short. */
export function makePlan(kind: Kind, seed: number): Plan {
  const random = randomFrom(seed * 7919 + kinds.indexOf(kind) * 104_729);
  const turns = seed < 60 ? random.between(2, 4) : seed < 300 ? random.between(4, 8) : random.between(8, 18);
  const exchanges = Array.from({ length: turns }, (_, at) => ({
    prompts: at === 0 ? [["Please make the tests pass."]] : somePrompts(random, traitsOf[kind], at + 1),
    answer: makeAnswer(random, at + 1),
  }));
  return weave({ kind, seed, exchanges, random, wire: random.pick(wireNames) });
}

/** A conversation that was recorded, lived through by a client of this kind. */
export function planFor(kind: Kind, seed: number, exchanges: readonly Exchange[]): Plan {
  const random = randomFrom(seed * 6151 + kinds.indexOf(kind) * 104_729);
  return weave({ kind, seed, exchanges, random, wire: wireNames[seed % wireNames.length] as WireName });
}

interface Threads {
  kind: Kind;
  seed: number;
  exchanges: readonly Exchange[];
  random: Random;
  wire: WireName;
}

/** Events, edits, failures and all the rest between the exchanges. */
function weave({ kind, seed, exchanges, random, wire }: Threads): Plan {
  const traits = traitsOf[kind];
  const habits = makeHabits(random, traits);
  const commits = random.pick([0, 0.5, 1]);
  const failures = random.pick([0, 0, 0.15, 0.35]);
  const retries = random.chance(0.15);
  const reopens = habits.store === "sqlite" || random.chance(0.2);
  const steps: Step[] = [];
  let marks = 0;
  for (const [at, { prompts, answer }] of exchanges.entries()) {
    for (let count = random.pick([0, 0, 1, 1, 2]); count > 0; count--)
      steps.push({ do: "event", marker: `MARK${++marks}X`, shape: random.between(0, 99) });
    if (reopens && (at % 10 === 9 || random.chance(0.05))) steps.push({ do: "reopen" });
    if (at > 0) steps.push(...someChanges(random, traits, at + 1));
    for (const texts of prompts) steps.push({ do: "prompt", texts });
    const commit = random.chance(commits);
    const fromAnswer = random.chance(traits.fromAnswer ?? 0);
    const attempts = (retries ? 1 : 0) + (random.chance(failures) ? 1 : 0);
    for (let count = attempts; count > 0; count--) {
      const fate = random.pick(["failed", "unheard"] as const);
      steps.push({ do: "call", fate, commit, answer: { calls: [] }, fromAnswer });
      if (random.chance(0.2)) steps.push({ do: "prompt", texts: [`Are you there? ${at}`] });
    }
    steps.push({ do: "call", fate: "answered", commit, answer, fromAnswer });
  }
  // A last one, so that everything has had its chance.
  const answer = { text: "The end.", calls: [] };
  steps.push({ do: "call", fate: "answered", commit: true, answer, fromAnswer: false });
  return { kind, seed, wire, habits, steps };
}

function makeHabits(random: Random, { steady = [] }: Traits): Habits {
  return {
    keeps: random.chance(0.2),
    bodies: random.pick(["fresh", "fresh", "same", "parsed", "reordered"]),
    store: random.chance(0.04) ? "sqlite" : "memory",
    always: steady.length > 0 && random.chance(0.25) ? [random.pick(steady)] : [],
  };
}

function someChanges(random: Random, traits: Traits, turn: number): Step[] {
  const steps: Step[] = [];
  const { edits: names = [] } = traits;
  if (names.length > 0 && random.chance(0.5))
    for (let count = random.pick([1, 1, 2]); count > 0; count--) {
      const size = random.pick([1, 2, 3, turn]);
      steps.push({ do: "edit", edit: random.pick(names), at: random.next(), size });
    }
  const likely: [number | undefined, () => Step][] = [
    [traits.dialect, () => ({ do: "dialect", to: random.pick(wireNames) })],
    [traits.window, () => ({ do: "window", size: random.between(2, 8) })],
    [traits.quote, () => ({ do: "quote", at: random.next() })],
    [traits.aside, () => makeAside(random)],
    [traits.compact, () => ({ do: "compact", said: random.chance(0.3), keep: random.pick([0, 0, 0, 2, 4]) })],
    [traits.aside, () => makeAside(random)],
  ];
  for (const [probability = 0, make] of likely) if (random.chance(probability)) steps.push(make());
  return steps;
}

function makeAside(random: Random): Step {
  return { do: "aside", name: random.pick(["title", "topic", "summary"]), commit: random.chance(0.5) };
}

function somePrompts(random: Random, { commands = 0.2 }: Traits, turn: number): string[][] {
  if (random.chance(0.6)) return [];
  if (random.chance(0.15)) return [["Go on."]];
  if (random.chance(commands)) return [["<command-name>/review</command-name>", "Review the code."]];
  return [[`Prompt ${turn}: please look at file ${random.between(1, 99)}.`]];
}

function makeAnswer(random: Random, turn: number): Answer {
  const calls = Array.from({ length: random.pick([0, 0, 1, 1, 1, 2, 3]) }, () => ({
    name: "look",
    input: { path: `src/${random.between(1, 9)}.ts` },
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
