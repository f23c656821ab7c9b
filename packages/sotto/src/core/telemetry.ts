// What a turn cost, for whoever watches a fleet: names of types, counts and durations, and nothing that was said.

import type { OutcomeKind } from "./trace.ts";

/** Where reports go. It may not take long; what it throws is swallowed. */
export interface Telemetry {
  turn(report: TurnReport): void;
}

export interface TurnReport {
  /** Milliseconds since the epoch. */
  startedAt: number;
  ms: number;
  agent: "main" | "sub";
  number: number;
  /** The share of turns that are reported, to scale counts by. */
  sample: number;
  /** Whether the turn could not do its work. Why is in its trace. */
  failed: boolean;
  reminders: number;
  tokens: number;
  bytes: number;
  outcomes: Partial<Record<OutcomeKind, number>>;
  /** The types that spoke. */
  sent: string[];
  generators: GeneratorReport[];
}

export interface GeneratorReport {
  generator: string;
  ms: number;
  bytes: number;
  sent: number;
  errors: number;
}
