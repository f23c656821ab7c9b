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
