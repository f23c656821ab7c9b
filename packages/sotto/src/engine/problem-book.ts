// Problems that come up while a session lives, each once and not without end.

import { errorText } from "../platform/errors.ts";
import { parseEvent, type SessionEvent } from "../facts/events.ts";
import { type Problem, problemText } from "../platform/problem.ts";

export interface ProblemBook {
  all(): readonly Problem[];
  note(problem: Problem): void;
  /** Those of the events that can be kept; one that cannot be is noted, and does not hold up the others. */
  sound(events: readonly SessionEvent[]): SessionEvent[];
}

const MOST = 50;

export function createProblemBook(): ProblemBook {
  const problems = new Map<string, Problem>();
  const note = (problem: Problem) => {
    if (problems.size < MOST) problems.set(problemText(problem), problem);
  };
  return {
    all: () => [...problems.values()],
    note,
    sound: (events) =>
      events.flatMap((event) => {
        try {
          return [parseEvent(event)];
        } catch (error) {
          note({ where: "an event that was found", problem: errorText(error) });
          return [];
        }
      }),
  };
}
