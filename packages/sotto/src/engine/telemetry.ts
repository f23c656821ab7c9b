// What telemetry reports of a turn: types, counts and durations. Texts only on request.

import type { OutcomeKind } from "../log/trace.ts";

/** Receives reports. It must be quick; what it throws is ignored. */
export interface Telemetry {
  turn(report: TurnReport): void;
  /** Whether reports include the texts of reminders. */
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
  /** The share of turns that are reported: divide counts by it. */
  sample: number;
  /** Whether the turn failed. The trace says why. */
  failed: boolean;
  reminders: number;
  tokens: number;
  bytes: number;
  outcomes: Partial<Record<OutcomeKind, number>>;
  /** The types that were sent. */
  sent: string[];
  /** Things that the prompt mentions and that were attached. */
  mentionsAttached: number;
  /** Texts of reminders, if `wantsTexts`. */
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
