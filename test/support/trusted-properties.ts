// The properties of dialects whose provider has a trusted role: reminders that may have it are taken at every place.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { InsertedBlock, Insertion } from "../../packages/sotto/src/core/dialect.ts";
import type { Subject } from "./dialect-properties.ts";
import { frozen, opening, placesIn, reminders } from "./dialect-samples.ts";
import { conversations } from "./histories.ts";

export interface TrustingSubject<Body> extends Subject<Body> {
  /** The role that trusted words have. */
  role: string;
}

export function hasTrustedRole<Body extends object>(subject: TrustingSubject<Body>): void {
  const { dialect, write, check, role } = subject;
  const bodies = conversations().map((conversation) => frozen(write(conversation, { instructions: true })));
  const rolesIn = (body: Body) =>
    dialect.messages(body).map((message) => (message as { role?: string }).role);
  /** Some of them trusted: images never are. */
  const mixed = fc
    .tuple(reminders, fc.tuple(fc.boolean(), fc.boolean()))
    .map(([list, trusted]) => list.map((blocks, index) => (trusted[index] ? blocks.map(asNative) : blocks)));

  test("AC-37 the provider takes trusted words at every legal place, each alone and all together", () => {
    const property = fc.property(bodies, mixed, (body, blocks) => {
      const legal = placesIn(dialect, body).map((at) => dialect.legal(body, at));
      for (const at of legal) expect(check(dialect.insert(body, [{ at, blocks }], []))).toEqual([]);
      const everywhere = legal.map((at) => ({ at, blocks }));
      expect(check(dialect.insert(body, everywhere, []))).toEqual([]);
    });
    fc.assert(property, { numRuns: 50 });
  });

  test("AC-37 request N is a prefix of request N+1 when some words are trusted", () => {
    const property = fc.property(conversations({ maxSteps: 20 }), mixed, (told, blocks) => {
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
    fc.assert(property, { numRuns: 30 });
  });

  test("trusted words have the role at the end of a request, and images beside them never", () => {
    const property = fc.property(conversations(), reminders, (told, [first]) => {
      const body = frozen(write({ ...told, prefill: undefined }));
      const blocks = [first.map(asNative)];
      const request = dialect.insert(body, [{ at: dialect.end(body), blocks }], []);
      const pure = first.every(({ type }) => type === "text");
      expect(rolesIn(request).at(-1)).toBe(pure ? role : "user");
    });
    fc.assert(property);
  });
}

function asNative(block: InsertedBlock): InsertedBlock {
  return block.type === "text" ? { ...block, native: true } : block;
}
