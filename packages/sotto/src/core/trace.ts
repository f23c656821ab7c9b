// What became of each type in a turn, and why: every silence has a reason one can look up.

export type OutcomeKind =
  | "sent"
  | "nothing"
  | "throttled"
  | "already in view"
  | "off"
  | "over budget"
  | "cut"
  | "superseded"
  | "timed out"
  | "failed"
  | "resting";

export interface Outcome {
  outcome: OutcomeKind;
  /** Why, with the value and its threshold. */
  reason: string;
}

export interface TraceEntry extends Outcome {
  generator: string;
  type: string;
  ms: number;
  bytes: number;
  tokens: number;
}
