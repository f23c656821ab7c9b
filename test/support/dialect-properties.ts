// The properties that every dialect has, whatever its wire looks like.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { HistoryBlock } from "../../packages/sotto/src/dialects/dialect.ts";
import {
  blocksAt,
  breakpointsIn,
  frozen,
  insertionsInto,
  nearMessages,
  opening,
  ownOf,
  placesIn,
  reminders,
  strange,
  withBreakpoints,
} from "./dialect-samples.ts";
import type { Subject } from "./dialect-subject.ts";
import { conversations, inBlocks } from "./histories.ts";
import { isTakenAtEveryPlace, keepsThePrefillLast, keepsThePrefix } from "./placing-properties.ts";
import { runs } from "./runs.ts";

export function hasDialectProperties<Body extends object>(subject: Subject<Body>): void {
  const { dialect, write, check, breakpoint } = subject;
  const messagesOf = (body: Body): readonly unknown[] => dialect.messages(body);
  const readAll = (body: Body): HistoryBlock[] =>
    messagesOf(body).flatMap((message, index) => dialect.read(message, index));
  const withoutOwn = (body: Body): Body => dialect.remove(body, ownOf(dialect, body));
  const bodies = conversations().map((conversation) => frozen(write(conversation, { instructions: true })));
  const picks = fc.array(fc.nat(), { maxLength: 6 });

  test("takes every valid body as its own", () => {
    const property = fc.property(bodies, (body) => {
      expect(check(body)).toEqual([]);
      expect(dialect.problem(body)).toBeUndefined();
    });
    fc.assert(property, runs(600));
  });

  test("never throws on what is no body, and reads and inserts into whatever it lets pass", () => {
    const anything = fc.anything({ withBigInt: true, withSparseArray: true, withNullPrototype: true });
    const lists = fc.oneof(anything, fc.array(fc.oneof(nearMessages, anything)), fc.array(nearMessages));
    const values = fc.oneof(anything, fc.record({ [dialect.field]: lists }));
    const property = fc.property(values, reminders, (value, blocks) => {
      if (dialect.problem(value) !== undefined) return;
      const body = value as Body;
      readAll(body);
      const at = dialect.legal(body, { message: 1, index: 1 });
      dialect.insert(
        body,
        [
          { at, blocks },
          { at: dialect.end(body), blocks },
        ],
        [at],
      );
      dialect.remove(body, [{ message: 0, index: 0 }]);
    });
    fc.assert(property, runs(2000));
  });

  test("AC-5 inserting nothing is the identity", () => {
    const property = fc.property(bodies, (body) => {
      const at = dialect.end(body);
      expect(
        dialect.insert(
          body,
          [
            { at, blocks: [] },
            { at, blocks: [[]] },
          ],
          [],
        ),
      ).toBe(body);
      expect(dialect.insert(body, [], [{ message: 0, index: 99 }])).toBe(body);
      expect(dialect.remove(body, [])).toBe(body);
    });
    fc.assert(property, runs(600));
  });

  test("AC-5 append leaves every earlier byte in place, and a later reminder every byte of an earlier one", () => {
    const property = fc.property(bodies, reminders, (body, [first, second]) => {
      const at = dialect.end(body);
      const given = messagesOf(body);
      const once = messagesOf(dialect.insert(body, [{ at, blocks: [first] }], []));
      const twice = messagesOf(dialect.insert(body, [{ at, blocks: [first, second] }], []));
      expect(opening(once).startsWith(opening(given.slice(0, at.message)))).toBe(true);
      expect(opening(twice).startsWith(opening(once.slice(0, at.message + 1)))).toBe(true);
      expect(twice.slice(at.message + 2)).toEqual(given.slice(at.message));
      // A prefill stays last, and so does what the provider's own trusted role says.
      const behind = given.slice(at.message).map((message) => speaker(message as Spoken));
      expect(behind.filter((role) => !["assistant", "system", "model", "ai"].includes(role))).toEqual([]);
    });
    fc.assert(property, runs(600));
  });

  test("AC-5 changes nothing but the place of a reminder: fields, their order, untouched messages", () => {
    const property = fc.property(bodies, reminders, picks, (valid, blocks, places) => {
      const body = frozen(strange(valid, dialect.field));
      const insertions = insertionsInto({ dialect, body }, places, blocks);
      const result = dialect.insert(body, insertions, []);
      expect(Object.keys(result)).toEqual(Object.keys(body));
      expect({ ...result, [dialect.field]: [] }).toEqual({ ...body, [dialect.field]: [] });
      const split = new Set(insertions.filter(({ at }) => at.index > 0).map(({ at }) => at.message));
      const kept = new Set(messagesOf(result));
      const lost = messagesOf(body).filter((message, index) => !split.has(index) && !kept.has(message));
      expect(lost).toEqual([]);
      expect(JSON.stringify(withoutOwn(result))).toBe(JSON.stringify(body));
    });
    fc.assert(property, runs(600));
  });

  test("AC-5 removing the reminders gives back the messages there were", () => {
    const property = fc.property(bodies, reminders, picks, (body, blocks, places) => {
      const result = dialect.insert(body, insertionsInto({ dialect, body }, places, blocks), []);
      expect(messagesOf(withoutOwn(frozen(result)))).toEqual(messagesOf(body));
    });
    fc.assert(property, runs(600));
  });

  const moves = "AC-5 a breakpoint never stays on a reminder, and the provider takes the place it moved to";
  if (breakpoint !== undefined)
    test(moves, () => {
      const property = fc.property(bodies, reminders, picks, (body, blocks, places) => {
        const kept = dialect.insert(body, insertionsInto({ dialect, body }, places, blocks), []);
        const own = ownOf(dialect, kept);
        const spare = 4 - breakpointsIn(kept, breakpoint);
        const sent = frozen(
          withBreakpoints(dialect, kept, { ...breakpoint, places: spare > 0 ? own.slice(-spare) : [] }),
        );
        expect(check(sent)).toEqual([]);
        const result = dialect.insert(sent, [], own);
        expect(check(result)).toEqual([]);
        expect(breakpointsIn(blocksAt(dialect, result, own), breakpoint)).toBe(0);
        expect(breakpointsIn(result, breakpoint)).toBeLessThanOrEqual(breakpointsIn(sent, breakpoint));
        expect(readAll(result)).toEqual(readAll(sent));
      });
      fc.assert(property, runs(600));
    });

  const place = "AC-37 the provider takes a reminder at every legal place, each alone and all together";
  isTakenAtEveryPlace(place, subject, reminders);

  const last = "AC-5 the beginning of an answer stays last, with reminders right before it";
  if (!subject.refusesPrefills) keepsThePrefillLast(last, subject, reminders);

  test("AC-37 the end and a legal place stay where they are", () => {
    const property = fc.property(bodies, (body) => {
      const legal = placesIn(dialect, body).map((at) => dialect.legal(body, at));
      for (const at of [...legal, dialect.end(body)]) expect(dialect.legal(body, at)).toEqual(at);
    });
    fc.assert(property, runs(400));
  });

  const prefix = "AC-37 request N is a prefix of request N+1 when reminders are put back where they were";
  keepsThePrefix(prefix, subject, reminders);

  test("AC-37 identities stay the same when breakpoints move and strings become blocks", () => {
    const property = fc.property(conversations(), picks, (conversation, breakpoints) => {
      const moved = write(inBlocks(conversation), { breakpoints });
      expect(readAll(moved)).toEqual(readAll(write(conversation)));
    });
    fc.assert(property, runs(600));
  });
}

type Spoken = { role?: string; type?: string };

function speaker({ role, type = "" }: Spoken): string {
  return role ?? type;
}
