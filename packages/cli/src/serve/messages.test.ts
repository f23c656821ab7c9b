// Lines come out the same however the bytes are cut, and a long one leaves nothing behind.

import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { createLineSplitter, type Line } from "./messages.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function splitAll(chunks: readonly Uint8Array[], limit: number): Line[] {
  const splitter = createLineSplitter(limit);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [0, ...at.map((one) => one % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((to, index) => bytes.subarray(places[index], to));
}

test("however the bytes are cut, the lines are the same", () => {
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 8 });
  fc.assert(
    fc.property(texts, fc.array(fc.nat(500), { maxLength: 10 }), (lines, at) => {
      const bytes = encode(lines.join("\n"));
      const expected = lines
        .flatMap((line) => line.split("\n"))
        .map((line) => (line.startsWith("\ufeff") ? line.slice(1) : line))
        .filter((line) => line.trim() !== "")
        .map((text) => ({ text }));
      expect(splitAll(cut(bytes, at), 1000)).toEqual(expected);
    }),
    runs(500),
  );
});

test("a line that is too long is told once, and what follows is taken", () => {
  const bytes = encode(`one\n${"x".repeat(50)}\ntwo\n${"y".repeat(11)}`);
  for (let size = 1; size < bytes.length; size++) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    expect(splitAll(chunks, 10)).toEqual([
      { text: "one" },
      { problem: "too long" },
      { text: "two" },
      { problem: "too long" },
    ]);
  }
});

test("the limit itself is not too long", () => {
  expect(splitAll([encode("0123456789\n")], 10)).toEqual([{ text: "0123456789" }]);
});

test("bytes that are no UTF-8 are not replaced in silence, and end with their line", () => {
  const bytes = Buffer.concat([encode('{"a":"'), Buffer.from([0xff]), encode('"}\r\n\r\n \nnext')]);
  expect(splitAll([bytes], 100)).toEqual([{ problem: "not UTF-8" }, { text: "next" }]);
});
