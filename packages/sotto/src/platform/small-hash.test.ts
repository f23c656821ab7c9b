// Small hashes are those of the standard.

import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { smallHash } from "./small-hash.ts";

const standard = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");

it("is SHA-256 of any bytes and any text", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => smallHash(bytes) === standard(bytes)));
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => smallHash(text) === standard(text)),
  );
});

it("is SHA-256 at every length around a block", () => {
  for (let length = 0; length <= 200; length++) {
    const bytes = new Uint8Array(length).fill(length);
    expect(smallHash(bytes)).toBe(standard(bytes));
  }
  expect(smallHash("\ud800")).toBe(standard("\ud800"));
});

it("leaves what is large to others", () => {
  expect(smallHash("a".repeat(6 * 1024))).toBe(standard("a".repeat(6 * 1024)));
  expect(smallHash("a".repeat(6 * 1024 + 1))).toBeUndefined();
  expect(smallHash("é".repeat(6 * 1024))).toBeUndefined();
});
