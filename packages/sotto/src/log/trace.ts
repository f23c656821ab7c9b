// What became of each type in a turn, and why: every silence has a reason one can look up.

/** The outcomes an attachment type can have in a turn. */
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

/** What an attachment type did in a turn, and why. */
export interface Outcome {
  /** What it did. */
  outcome: OutcomeKind;
  /** Why, with the value and its threshold. */
  reason: string;
}

// Nearly all sessions of a process give the same reasons: one object of each is enough.
const outcomes = new Map<string, Outcome>();
const OUTCOMES_MOST = 5000;
const LONGEST_SHARED = 300;

/** The same frozen object for equal outcomes. */
export function sharedOutcome(given: Outcome): Outcome {
  const { outcome, reason, ...more } = given;
  if (reason.length > LONGEST_SHARED || Object.keys(more).length > 0) return given;
  const key = `${outcome}: ${reason}`;
  const known = outcomes.get(key);
  if (known !== undefined) return known;
  if (outcomes.size >= OUTCOMES_MOST) outcomes.clear();
  const made = Object.freeze({ outcome, reason });
  outcomes.set(key, made);
  return made;
}

/** What was due and not repeated, because it is in view or was said a short while ago. */
export interface Spared {
  count: number;
  /** What it took when it was said; nothing is known of what never was. */
  tokens: number;
}

/** The outcome of a type, as it is kept in the log. */
export interface TypeOutcome extends Outcome {
  /** The attachment type. */
  type: string;
  /** What it did not have to repeat. */
  spared?: Spared;
}

/** How one attachment type fared in a turn: its outcome, the reason, and what it cost. */
export interface TraceEntry extends TypeOutcome {
  /** The name of its group in config. */
  generator: string;
  /** What it took, with the slowest of the sources it needs: those are asked side by side. */
  ms: number;
  /** The part of it that was spent on sources. */
  sourceMs?: number;
  /** Of text that it sends. */
  bytes: number;
  /** An estimate of what it sends. */
  tokens: number;
}
