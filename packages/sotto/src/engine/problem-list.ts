// Problems that come up while a session is open.

import type { StoredEvent } from "../facts/events.ts";
import type { Store } from "../log/entries.ts";
import { errorText, type Problem, problemText } from "../platform/errors.ts";
import { hideQuotedKeys } from "../platform/key-shapes.ts";
import { copyOf } from "../platform/plain-data.ts";
import { refusePromise } from "../platform/refuse-promise.ts";

const MOST_PROBLEMS = 50;
const NONE: readonly Problem[] = [];

/** Each once, and a limited number. */
export class ProblemList {
  #problems: Map<string, Problem> | undefined;

  all(): readonly Problem[] {
    return this.#problems === undefined ? NONE : [...this.#problems.values()];
  }

  note(problem: Problem): void {
    this.#problems ??= new Map();
    if (this.#problems.size < MOST_PROBLEMS) this.#problems.set(problemText(problem), problem);
  }

  /** The events that are well-formed; the others are noted. */
  sound(events: readonly StoredEvent[], parse: (event: unknown) => StoredEvent): StoredEvent[] {
    return events.flatMap((event) => {
      try {
        return [parse(event)];
      } catch (error) {
        this.note({ where: "an event that was found", problem: errorText(error) });
        return [];
      }
    });
  }
}

/** Copies to log and show, which quote no keys. */
export function forOthers(problems: readonly Problem[]): Problem[] {
  return copyOf(problems.map((one) => ({ ...one, problem: hideQuotedKeys(String(one.problem)) })));
}

/** What a store has repaired. None if a host's own goes wrong here: a turn asks for them, and never throws. */
export function repairsOf(store: Store): Problem[] {
  try {
    const repairs: unknown = store.repairs?.();
    refusePromise(repairs, "expected a list, got a promise");
    return Array.isArray(repairs)
      ? repairs.map((problem) => ({ where: "the store", problem: String(problem) }))
      : [];
  } catch {
    return [];
  }
}
