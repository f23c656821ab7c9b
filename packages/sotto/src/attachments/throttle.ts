// Throttles: how often a type may speak, counted in assistant messages from deliveries in view.

/** What an attachment declares. Config may change the numbers. */
export interface ThrottleRule<Facts> {
  minTurnsBetween?: number;
  /** An option of its own that says the same as `minTurnsBetween`; 1 is every turn. */
  betweenOption?: string;
  /** Holds for the first time too. */
  minTurnsAfterTrigger?: number;
  maxPerSession?: number;
  /** The gap doubles each time it was said and nothing came of it, unless its option `backs_off` is false. */
  backsOff?: boolean;
  /** The assistant turn of what starts it: a todo list was written. */
  since?(facts: Facts): number;
  /** The assistant turn of the last sign that it was heard: what was said since then was ignored. `since` unless given. */
  heeded?(facts: Facts): number;
  /** Words for `since`, in the reason: "the todo list was written". */
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
  /** Assistant turns at which it was said, of what still counts, oldest first. */
  said: readonly number[];
  /** Deliveries in the whole session. */
  total: number;
}

/** Why it may not speak yet; nothing when it may. */
export function throttled({
  rule,
  now,
  since,
  heeded = since,
  said,
  total,
}: ThrottleInput): string | undefined {
  const { minTurnsAfterTrigger = 0, maxPerSession = Number.POSITIVE_INFINITY } = rule;
  if (total >= maxPerSession) return `said ${total} of at most ${maxPerSession} times in this session`;
  if (since !== undefined && passed(since, now) < minTurnsAfterTrigger)
    return soFar({ from: since, now, gap: minTurnsAfterTrigger }, rule.sinceWhat ?? "it was triggered");
  const last = said.at(-1);
  const gap = gapFor(rule, heeded, said);
  if (last !== undefined && passed(last, now) < gap)
    return soFar({ from: last, now, gap }, "it was last said");
  return undefined;
}

/** Counted, not numbered: these are answers of the model, and the numbers of turns are those of requests. */
function soFar({ from, now, gap }: { from: number; now: number; gap: number }, what: string): string {
  const left = from + gap - now;
  const back = from > now ? " (the history went back behind that)" : "";
  return `${passed(from, now)} of ${gap} turns since ${what}${back}, ${left} to go`;
}

/** A history that goes back behind it has not gone past it. */
function passed(then: number, now: number): number {
  return Math.max(0, now - then);
}

function gapFor(rule: ThrottleInput["rule"], heeded: number | undefined, said: readonly number[]): number {
  const { minTurnsBetween = 0, backsOff = false } = rule;
  if (!backsOff) return minTurnsBetween;
  const ignored = said.filter((turn) => turn >= (heeded ?? 0)).length;
  return minTurnsBetween * 2 ** Math.min(Math.max(0, ignored - 1), 20);
}
