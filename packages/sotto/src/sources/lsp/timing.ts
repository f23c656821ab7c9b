// Time limits for language servers.

export interface Timing {
  /** A server that has not answered `initialize` by then hangs. */
  initializeMs: number;
  /** For requests about one document. */
  answerMs: number;
  /** After this time without a report, the initial state of an opened document is known. */
  settleMs: number;
  /** A write is held back this long for that; the first answer may take longer, as a project has to be loaded. */
  baselineMs: number;
  firstBaselineMs: number;
  /** A report is recorded when no more came for this long, or after `longestMs` at the latest. */
  quietMs: number;
  longestMs: number;
  /** Before each retry; after the last one a server is given up until it is restarted by hand. */
  backOffMs: readonly number[];
  /** A server that has worked this long gets all its retries again. */
  provenMs: number;
  /** A missing program is looked for again after this. */
  lookAgainMs: number;
  /** An unused server ends after this; the next file starts it again. */
  idleMs: number;
  /** For its regular shutdown, before it is killed. */
  shutdownMs: number;
}

export const TIMING: Timing = {
  initializeMs: 30_000,
  answerMs: 30_000,
  settleMs: 1000,
  baselineMs: 5000,
  firstBaselineMs: 30_000,
  quietMs: 50,
  longestMs: 250,
  backOffMs: [1000, 4000, 16_000],
  provenMs: 60_000,
  lookAgainMs: 30_000,
  idleMs: 15 * 60_000,
  shutdownMs: 500,
};

/** An unref'd timer; the returned function cancels it. */
export function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

// How fast a server reports on what was written: a turn only waits if that was worthwhile before.

export interface ResponseTimes {
  /** It was sent a change, and may report. */
  asked(key: string): void;
  answered(key: string): void;
  forget(key: string): void;
  clear(): void;
  /** Something is unanswered, and recently at least half of the answers came within that time. */
  isWorth(waitMs: number): boolean;
}

const REMEMBERED = 6;

export function createResponseTimes(now: () => number = () => performance.now()): ResponseTimes {
  const open = new Map<string, number>();
  /** How long the latest answers took; Infinity if one never came. */
  const took: number[] = [];
  const note = (ms: number) => {
    took.push(ms);
    if (took.length > REMEMBERED) took.shift();
  };
  return {
    asked(key) {
      if (open.has(key)) note(Number.POSITIVE_INFINITY);
      open.set(key, now());
    },
    answered(key) {
      const from = open.get(key);
      if (from === undefined) return;
      open.delete(key);
      note(now() - from);
    },
    forget: (key) => void open.delete(key),
    clear: () => open.clear(),
    isWorth(waitMs) {
      const isUnder = (ms: number) => ms <= waitMs;
      const inTime = [...open.values()].some((from) => isUnder(now() - from));
      return inTime && took.filter(isUnder).length * 2 >= took.length;
    },
  };
}
