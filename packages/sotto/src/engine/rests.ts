// What fails three times in a row is left alone for ten turns: one policy for types and sources.

export const FAILURES_BEFORE_REST = 3;
const REST_TURNS = 10;

export interface Rests {
  /** The turn it will be asked again in, while it rests. */
  restsUntil(name: string, turn: number): number | undefined;
  failed(name: string, turn: number): void;
  succeeded(name: string): void;
}

export function createRests(): Rests {
  const failures = new Map<string, number>();
  const until = new Map<string, number>();
  return {
    restsUntil(name, turn) {
      const end = until.get(name);
      return end !== undefined && turn < end ? end : undefined;
    },
    failed(name, turn) {
      const count = (failures.get(name) ?? 0) + 1;
      if (count >= FAILURES_BEFORE_REST) until.set(name, turn + 1 + REST_TURNS);
      failures.set(name, count % FAILURES_BEFORE_REST);
    },
    succeeded: (name) => void failures.delete(name),
  };
}
