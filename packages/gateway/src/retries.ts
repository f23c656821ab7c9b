// Requests that were not answered, or not to the end: if the client sends one again, it goes out with the same bytes.

import type { Turn } from "sotto";

export interface Attempt {
  session: string;
  /** The upstream and its path. */
  to: string;
  /** From the client. */
  given: Buffer;
  /** To the upstream, in pieces. */
  sent: readonly Buffer[];
  turn: Pick<Turn, "commit" | "abandon" | "keptAs" | "trace">;
}

export interface Retries {
  /** Takes it out: it is under way again. */
  take(session: string, to: string, given: Buffer): Attempt | undefined;
  keep(attempt: Attempt): void;
  /** Whether another request of the session has failed as well, which may have had more to tell. */
  hasOthers(session: string): boolean;
}

const MOST = 32;
const MOST_BYTES = 64 * 2 ** 20;

export function createRetries(): Retries {
  let kept: Attempt[] = [];
  return {
    take(session, to, given) {
      const found = kept.find((one) => one.session === session && one.to === to && one.given.equals(given));
      if (found !== undefined) kept = kept.filter((one) => one !== found);
      return found;
    },
    hasOthers: (session) => kept.some((one) => one.session === session),
    keep(attempt) {
      kept.unshift(attempt);
      let bytes = 0;
      const within = kept.filter(({ given, sent }, at) => {
        bytes += given.length + lengthOf(sent);
        return at < MOST && (at === 0 || bytes <= MOST_BYTES);
      });
      kept = within;
    },
  };
}

export function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
