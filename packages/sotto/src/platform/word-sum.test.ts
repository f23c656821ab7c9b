import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addText, addWord, addWords, type WordSum } from "./word-sum.ts";

function sumOf(...texts: string[]): WordSum {
  const sum = { high: 1, low: 2 };
  for (const text of texts) addText(sum, text);
  return sum;
}

describe("a sum of texts", () => {
  it("is the one that logs have", () => {
    expect(
      ["", "a", "Mend the parser.", "ä".repeat(30), "x".repeat(40_000)].map((text) => sumOf(text)),
    ).toEqual([
      { high: -1640610337, low: -1100006788 },
      { high: -217777637, low: -1189636775 },
      { high: -1987884846, low: -676138944 },
      { high: -1225514318, low: -923834740 },
      { high: -282021361, low: -106363185 },
    ]);
  });

  it("is the same however the text is kept in memory", () => {
    const texts = fc.string({ unit: "binary", size: "max", maxLength: 40_000 });
    fc.assert(
      fc.property(texts, fc.nat(), (text, at) => {
        const parts = text.slice(0, at % (text.length + 1)) + text.slice(at % (text.length + 1));
        expect(sumOf(parts)).toEqual(sumOf(text));
      }),
      { numRuns: 50 },
    );
  });

  it("is another one if any character is", () => {
    const unit = fc.constantFrom("a", "b", "ä", "漢", "🙂", "\0");
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 60 }), fc.nat(), unit, (units, at, other) => {
        const changed = units.with(at % units.length, other);
        fc.pre(changed.join("") !== units.join(""));
        expect(sumOf(changed.join(""))).not.toEqual(sumOf(units.join("")));
      }),
    );
  });

  it("knows where one text ends and the next begins", () => {
    const all = ["", "a", "ab", "a".repeat(30), "a".repeat(31), "a".repeat(60)];
    const pairs = all.flatMap((one) => all.map((other) => JSON.stringify(sumOf(one, other))));
    expect(new Set(pairs).size).toBe(pairs.length);
  });

  it("of many words is that of each of them", () => {
    const [one, other] = [sumOf("a"), sumOf("a")];
    const words = Int32Array.of(1, -1, 2 ** 31 - 1, -(2 ** 31), 0);
    addWords(one, words, words.length);
    for (const word of words) addWord(other, word);
    expect(one).toEqual(other);
  });
});
