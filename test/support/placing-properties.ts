// What holds wherever a dialect places blocks, whatever they are: the provider takes them, and the prefix stays.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { InsertedBlock, Insertion } from "../../packages/sotto/src/dialects/dialect.ts";
import { frozen, opening, placesIn } from "./dialect-samples.ts";
import type { Subject } from "./dialect-subject.ts";
import { conversations } from "./histories.ts";
import { runs } from "./runs.ts";

type Reminders = fc.Arbitrary<InsertedBlock[][]>;

export function isTakenAtEveryPlace<Body extends object>(
  name: string,
  { dialect, write, check }: Subject<Body>,
  reminders: Reminders,
): void {
  const bodies = conversations().map((conversation) => frozen(write(conversation, { instructions: true })));
  test(name, () => {
    const property = fc.property(bodies, reminders, (body, blocks) => {
      const legal = placesIn(dialect, body).map((at) => dialect.legal(body, at));
      for (const at of legal) expect(check(dialect.insert(body, [{ at, blocks }], []))).toEqual([]);
      const everywhere = legal.map((at) => ({ at, blocks }));
      expect(check(dialect.insert(body, everywhere, []))).toEqual([]);
    });
    fc.assert(property, runs(400));
  });
}

/** The beginning of an answer, which the model has to continue. */
export function keepsThePrefillLast<Body extends object>(
  name: string,
  { dialect, write, check }: Subject<Body>,
  reminders: Reminders,
): void {
  const begun = conversations()
    .filter(({ thinking }) => !thinking)
    .map((conversation) => ({ ...conversation, prefill: "Sure:" }));
  test(name, () => {
    const property = fc.property(begun, reminders, (conversation, blocks) => {
      const body = frozen(write(conversation));
      const given = dialect.messages(body);
      const after = { message: given.length, index: 0 };
      const before = { message: given.length - 1, index: 0 };
      expect(dialect.end(body)).toEqual(before);
      expect(dialect.legal(body, after)).toEqual(before);
      const result = dialect.insert(body, [{ at: dialect.end(body), blocks }], []);
      const sent = dialect.messages(result);
      expect(check(result)).toEqual([]);
      expect(sent.at(-1)).toBe(given.at(-1));
      expect(sent.slice(0, given.length - 1)).toEqual(given.slice(0, -1));
      expect(sent.length).toBeGreaterThan(given.length);
    });
    fc.assert(property, runs(400));
  });
}

export function keepsThePrefix<Body extends object>(
  name: string,
  { dialect, write, check }: Subject<Body>,
  reminders: Reminders,
): void {
  test(name, () => {
    const property = fc.property(conversations({ maxSteps: 20 }), reminders, (told, blocks) => {
      const conversation = { ...told, prefill: undefined };
      const insertions: Insertion[] = [];
      let earlier: readonly unknown[] = [];
      for (let steps = 1; steps <= conversation.steps.length; steps++) {
        const body = frozen(write(conversation, { steps, breakpoints: [] }));
        insertions.push({ at: dialect.end(body), blocks });
        const back = insertions.map(({ at }) => ({ at: dialect.legal(body, at), blocks }));
        const request = dialect.insert(body, back, []);
        expect(check(request)).toEqual([]);
        expect(opening(dialect.messages(request)).startsWith(opening(earlier))).toBe(true);
        earlier = dialect.messages(request);
      }
    });
    fc.assert(property, runs(300));
  });
}
