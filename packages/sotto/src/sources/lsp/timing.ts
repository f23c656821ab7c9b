// How long things may take around language servers.

export interface Timing {
  /** A server that has not answered `initialize` by then hangs. */
  initializeMs: number;
  /** Questions about one document. */
  answerMs: number;
  /** So long after the last word about a document that was opened it is known how it stood. */
  settleMs: number;
  /** So long a write is kept back for that; the first answer, with a project to load, may take longer. */
  baselineMs: number;
  firstBaselineMs: number;
  /** Word about a file is recorded when no more came for so long, or at the latest after `longestMs`. */
  quietMs: number;
  longestMs: number;
  /** Before each new try; after the last one a server is given up until somebody asks for it. */
  backOffMs: readonly number[];
  /** A server that has worked for so long starts afresh with its tries. */
  provenMs: number;
  /** A program that was not there is looked for again after this. */
  lookAgainMs: number;
  /** A server that nobody needs ends; the next file starts it again. */
  idleMs: number;
  /** For its own way of ending, before it is ended. */
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

/** A timer that keeps no process alive; the answer stops it. */
export function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

// How soon a server has word about what was written: a turn waits for it only where that was worth it before.

export interface Promptness {
  /** It was told of a write, and may answer. */
  asked(key: string): void;
  answered(key: string): void;
  forget(key: string): void;
  clear(): void;
  /** Something is unanswered, and of late at least half of the answers came within that time. */
  isWorth(waitMs: number): boolean;
}

const REMEMBERED = 6;

export function createPromptness(now: () => number = () => performance.now()): Promptness {
  const open = new Map<string, number>();
  /** How long the latest answers took; one that never came took for ever. */
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
