// What a turn cost, for whoever watches a fleet: names of types, counts and durations. What was said only on request.

import type { OutcomeKind } from "../log/trace.ts";

/** Where reports go. It may not take long; what it throws is swallowed. */
export interface Telemetry {
  turn(report: TurnReport): void;
  /** Whether reports are to hold the texts of reminders. */
  wantsTexts?(): boolean;
}

/** What sources could not look at. */
export interface SourceFailures {
  /** Things that a prompt mentions and that could not be attached. */
  mentionsFailed: number;
  /** Files that could not be read this time. */
  unreadable: number;
}

export interface TurnReport extends SourceFailures {
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
  /** Things that the prompt mentions and that were attached. */
  mentionsAttached: number;
  /** Texts of reminders, where they were asked for. */
  said?: { type: string; text: string }[];
  generators: GeneratorReport[];
}

export interface GeneratorReport {
  generator: string;
  ms: number;
  bytes: number;
  sent: number;
  errors: number;
}
