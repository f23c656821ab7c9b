import fc from "fast-check";
import { expect, test } from "vitest";
import { createWordWrap, wrapped } from "./text.ts";

test("lines break between words, and list items hang", () => {
  expect(wrapped("one two three four\n- five six seven eight\n\nnine", 13)).toBe(
    "one two three\nfour\n- five six\n  seven eight\n\nnine",
  );
});

test("code, tables and indented lines keep their lines", () => {
  const text =
    "```ts\nconst a = 1; // a long line of code\n```\n| a | table that is wide |\n    indented by four spaces";
  expect(wrapped(text, 10)).toBe(text);
  expect(wrapped("```\na b c d e f g h\n```\nand then words again", 10)).toBe(
    "```\na b c d e f g h\n```\nand then\nwords\nagain",
  );
});

test("however a text comes in pieces, it is broken in the same way, no word is torn and none is lost", () => {
  const texts = fc.array(fc.constantFrom("a", "word", "longer-than-the-line-is", " ", "  ", "\n", "- ", "é"));
  fc.assert(
    fc.property(texts, fc.integer({ min: 5, max: 30 }), (pieces, width) => {
      const wrap = createWordWrap(width);
      const streamed = pieces.map((piece) => wrap.add(piece)).join("") + wrap.end();
      const text = pieces.join("");
      expect(streamed).toBe(wrapped(text, width));
      expect(streamed.split(/\s+/u).filter(Boolean)).toEqual(text.split(/\s+/u).filter(Boolean));
      for (const line of streamed.split("\n"))
        if (line.length > width && !line.startsWith("    ")) expect(line.trim()).not.toMatch(/\s/u);
    }),
  );
});

test("a word of 10 MB beyond Latin-1 is no problem for a pattern that has been compiled", () => {
  for (let count = 0; count < 100; count++) wrapped("a few words ✓ again and again", 20);
  const word = `✓${"x".repeat(10_000_000)}`;
  expect(wrapped(word, 80) === word).toBe(true);
});
