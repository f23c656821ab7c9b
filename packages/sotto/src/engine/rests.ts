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
  return new RestsByName();
}

class RestsByName implements Rests {
  // Made with the first failure: most sessions have none.
  #failures: Map<string, number> | undefined;
  #until: Map<string, number> | undefined;

  restsUntil(name: string, turn: number): number | undefined {
    const end = this.#until?.get(name);
    return end !== undefined && turn < end ? end : undefined;
  }

  failed(name: string, turn: number): void {
    this.#failures ??= new Map();
    const count = (this.#failures.get(name) ?? 0) + 1;
    if (count >= FAILURES_BEFORE_REST) {
      this.#until ??= new Map();
      this.#until.set(name, turn + 1 + REST_TURNS);
    }
    this.#failures.set(name, count % FAILURES_BEFORE_REST);
  }

  succeeded(name: string): void {
    this.#failures?.delete(name);
  }
}
