// Facts that no event has changed are shared by all sessions: what one session folds shows in no other.

import fc from "fast-check";
import { expect, it } from "vitest";
import { eventSamples } from "../../../../test/support/event-samples.ts";
import { type EventType, eventTypes, type StoredEvent } from "./events.ts";
import { applyFacts, edgesIn, finishFacts, initialFacts, type RecordedFacts, settleFacts } from "./facts.ts";

const event = fc
  .record({ type: fc.constantFrom(...eventTypes), mark: fc.constantFrom("one", "two") })
  .map(({ type, mark }) => ({ type, ...eventSamples[type]?.(mark) }) as StoredEvent);
const step = fc.oneof({ weight: 8, arbitrary: event }, fc.constantFrom("settle" as const, "finish" as const));
type Step = StoredEvent | "settle" | "finish";

it("facts are folded in the same way, shared or not, and no fold changes what is shared", () => {
  const before = JSON.stringify(initialFacts());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const own: RecordedFacts = structuredClone(initialFacts());
      const shared = initialFacts();
      expect(folded(shared, steps)).toEqual(folded(own, steps));
      expect(shared).toEqual(own);
      expect(JSON.stringify(initialFacts())).toBe(before);
    }),
    { numRuns: 300 },
  );
});

it("every type of event is among those that are folded", () => {
  expect(Object.keys(eventSamples).sort()).toEqual([...eventTypes].sort() satisfies EventType[]);
});

/** What was overtaken. */
function folded(facts: RecordedFacts, steps: readonly Step[]): [string, string][] {
  const overtaken: [string, string][] = [];
  for (const [index, one] of steps.entries()) {
    const seq = index + 1;
    if (one === "settle") settleFacts(facts, dueIn(facts), { branch: "main", turn: seq, words: true });
    else if (one === "finish") finishFacts(facts, { said: () => true, due: () => true });
    else
      applyFacts(facts, one, {
        seq,
        at: "2026-11-15T10:00:00Z",
        turns: seq,
        supersede: (type, reason) => overtaken.push([type, reason]),
      });
  }
  return overtaken;
}

function dueIn(facts: RecordedFacts): string[] {
  return edgesIn(facts).flatMap(({ pending }) => pending.map(({ id }) => id));
}
