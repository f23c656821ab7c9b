// The properties of dialects whose provider has a trusted role: reminders that may have it are taken at every place.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { InsertedBlock } from "../../packages/sotto/src/dialects/dialect.ts";
import { frozen, reminders } from "./dialect-samples.ts";
import type { Subject } from "./dialect-subject.ts";
import { conversations } from "./histories.ts";
import { isTakenAtEveryPlace, keepsThePrefix } from "./placing-properties.ts";
import { runs } from "./runs.ts";

export interface TrustingSubject<Body> extends Subject<Body> {
  /** The role that trusted words have. */
  role: string;
}

export function hasTrustedRole<Body extends object>(subject: TrustingSubject<Body>): void {
  const { dialect, write, role } = subject;
  const rolesIn = (body: Body) =>
    dialect.messages(body).map((message) => (message as { role?: string }).role);
  /** Some of them trusted: images never are. */
  const mixed = fc
    .tuple(reminders, fc.tuple(fc.boolean(), fc.boolean()))
    .map(([list, trusted]) => list.map((blocks, index) => (trusted[index] ? blocks.map(asNative) : blocks)));

  const place = "AC-37 the provider takes trusted words at every legal place, each alone and all together";
  isTakenAtEveryPlace(place, subject, mixed);
  keepsThePrefix("AC-37 request N is a prefix of request N+1 when some words are trusted", subject, mixed);

  test("trusted words have the role at the end of a request, and images beside them never", () => {
    const property = fc.property(conversations(), reminders, (told, [first]) => {
      const body = frozen(write({ ...told, prefill: undefined }));
      const blocks = [first.map(asNative)];
      const request = dialect.insert(body, [{ at: dialect.end(body), blocks }], []);
      const pure = first.every(({ type }) => type === "text");
      expect(rolesIn(request).at(-1)).toBe(pure ? role : "user");
    });
    fc.assert(property, runs(600));
  });
}

function asNative(block: InsertedBlock): InsertedBlock {
  return block.type === "text" ? { ...block, native: true } : block;
}
