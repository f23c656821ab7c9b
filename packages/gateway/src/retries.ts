// Requests that were not answered, or not to the end: if the client sends one again, it goes out with the same bytes.

import type { Turn } from "sotto";
import type { Bytes } from "sotto/internal";

export interface Attempt {
  session: string;
  /** The upstream and its path. */
  to: string;
  /** From the client. */
  given: Bytes;
  /** To the upstream, in pieces. */
  sent: readonly Buffer[];
  /** Which turn of this process it was sent with. */
  order: number;
  turn: Pick<Turn, "commit" | "abandon" | "keptAs" | "trace">;
}

export interface Retries {
  /** Takes it out: it is under way again. */
  take(session: string, to: string, given: Bytes): Attempt | undefined;
  keep(attempt: Attempt): void;
  /** A turn is taken: earlier attempts of the session may lack what it tells. Returns its order. */
  begin(session: string): number;
  /** Whether no turn of its session was taken since. */
  isLatest(attempt: Attempt): boolean;
}

const MOST = 32;
const MOST_BYTES = 64 * 2 ** 20;
// Of a session that is forgotten nothing is the latest: the engine then makes the request again.
const MOST_SESSIONS = 10_000;

export function createRetries(): Retries {
  let kept: Attempt[] = [];
  let turns = 0;
  const latest = new Map<string, number>();
  return {
    take(session, to, given) {
      const found = kept.find((one) => one.session === session && one.to === to && one.given.equals(given));
      if (found !== undefined) kept = kept.filter((one) => one !== found);
      return found;
    },
    begin(session) {
      turns += 1;
      latest.delete(session);
      latest.set(session, turns);
      const [oldest] = latest.keys();
      if (latest.size > MOST_SESSIONS && oldest !== undefined) latest.delete(oldest);
      return turns;
    },
    isLatest: ({ session, order }) => latest.get(session) === order,
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
