// Both ways give the hashes of the standard.

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashInJavaScript, sha256 } from "./sha256.ts";

const standard = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");

describe.each([
  ["in plain JavaScript", hashInJavaScript],
  ["whichever way is chosen", (content: string | Uint8Array) => sha256(content)],
])("%s", (_way, hash) => {
  it("is SHA-256 of any bytes and any text", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => hash(bytes) === standard(bytes)));
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => hash(text) === standard(text)),
    );
  });

  it("is SHA-256 at every length around a block", () => {
    for (let length = 0; length <= 200; length++) {
      const bytes = new Uint8Array(length).fill(length);
      expect(hash(bytes)).toBe(standard(bytes));
    }
    expect(hash("\ud800")).toBe(standard("\ud800"));
    expect(hash("é".repeat(10_000))).toBe(standard("é".repeat(10_000)));
  });
});

it("has a shorter form for names", () => {
  expect(sha256("abc", "base64url")).toBe(createHash("sha256").update("abc").digest("base64url"));
});

it("sees that bytes it was given before are others now", () => {
  const bytes = Buffer.from("one");
  expect(sha256(bytes)).toBe(standard("one"));
  bytes.write("two");
  expect(sha256(bytes)).toBe(standard("two"));
});
