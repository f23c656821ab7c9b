// Throttles: how often a type may be sent, counted in assistant messages from deliveries in view.

/** The throttle of an attachment. Config may change the numbers. */
export interface ThrottleRule<Facts> {
  minTurnsBetween?: number;
  /** One of its options that sets `minTurnsBetween`; 1 is every turn. */
  betweenOption?: string;
  /** Applies to the first time as well. */
  minTurnsAfterTrigger?: number;
  maxPerSession?: number;
  /** The gap doubles each time it was sent and ignored, unless its option `backs_off` is false. */
  backsOff?: boolean;
  /** The assistant turn of its trigger: when the todo list was written. */
  since?(facts: Facts): number;
  /** The assistant turn in which it was last acted on: what was sent since then was ignored. Default: `since`. */
  heeded?(facts: Facts): number;
  /** What `since` is, in the reason: "the todo list was written". */
  sinceWhat?: string;
}

export interface ThrottleInput {
  rule: Pick<
    ThrottleRule<never>,
    "minTurnsBetween" | "minTurnsAfterTrigger" | "maxPerSession" | "backsOff" | "sinceWhat"
  >;
  /** Assistant turns now. */
  now: number;
  since: number | undefined;
  heeded?: number | undefined;
  /** Assistant turns in which it was sent, of those that still count, oldest first. */
  sent: readonly number[];
  /** Deliveries in the whole session. */
  total: number;
}

/** Why it may not be sent yet; undefined when it may. */
export function throttled({
  rule,
  now,
  since,
  heeded = since,
  sent,
  total,
}: ThrottleInput): string | undefined {
  const { minTurnsAfterTrigger = 0, maxPerSession = Number.POSITIVE_INFINITY } = rule;
  if (total >= maxPerSession) return `sent ${total} of at most ${maxPerSession} times in this session`;
  if (since !== undefined && passed(since, now) < minTurnsAfterTrigger)
    return soFar({ from: since, now, gap: minTurnsAfterTrigger }, rule.sinceWhat ?? "it was triggered");
  const last = sent.at(-1);
  const gap = gapFor(rule, heeded, sent);
  if (last !== undefined && passed(last, now) < gap)
    return soFar({ from: last, now, gap }, "it was last sent");
  return undefined;
}

/** Counts answers of the model; the turn numbers in the trace count requests. */
function soFar({ from, now, gap }: { from: number; now: number; gap: number }, what: string): string {
  const left = from + gap - now;
  const back = from > now ? " (the history was rewound to before that)" : "";
  return `${passed(from, now)} of ${gap} turns since ${what}${back}, ${left} to go`;
}

/** 0 when the history was rewound to before it. */
function passed(then: number, now: number): number {
  return Math.max(0, now - then);
}

function gapFor(rule: ThrottleInput["rule"], heeded: number | undefined, sent: readonly number[]): number {
  const { minTurnsBetween = 0, backsOff = false } = rule;
  if (!backsOff) return minTurnsBetween;
  const ignored = sent.filter((turn) => turn >= (heeded ?? 0)).length;
  return minTurnsBetween * 2 ** Math.min(Math.max(0, ignored - 1), 20);
}
