import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startEffort } from "../../../../test/support/effort.ts";
import { tokenSamples } from "../../../../test/support/token-samples.ts";
import { estimateTokens } from "./tokens.ts";

describe.each(Object.entries(tokenSamples))("%s", (_, samples) => {
  it.each(samples.map((sample) => [sample.title, sample] as const))(
    "%s is estimated within 15 % of o200k",
    (_title, { text, tokens }) => {
      const off = estimateTokens(text) / tokens - 1;
      expect(Math.abs(off), `${Math.round(100 * off)} %`).toBeLessThan(0.15);
    },
  );
});

it("counts small things as what they are", () => {
  const counted = ["", "a", "word", "Word", "words, words", "12345", "{}", "字", "カナ", "getElementById"];
  expect(Object.fromEntries(counted.map((text) => [text, estimateTokens(text)]))).toEqual({
    "": 0,
    a: 1,
    word: 1,
    Word: 1,
    "words, words": 3,
    "12345": 3,
    "{}": 1,
    字: 2,
    カナ: 2,
    getElementById: 4,
  });
});

it("more text is never fewer tokens, and two texts are no more than their sum", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.string({ unit: "binary", maxLength: 200 }),
      (a, b) => {
        const both = estimateTokens(a + b);
        expect(both).toBeGreaterThanOrEqual(estimateTokens(a));
        expect(both).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b) + 1);
      },
    ),
  );
});

// Of o200k.
it.each([
  [" ", 157],
  ["\n", 1250],
  ["x", 2500],
  ["=", 312],
])("20,000 times %j is not next to nothing", (character, tokens) => {
  const estimate = estimateTokens(character.repeat(20_000));
  expect(estimate).toBeGreaterThanOrEqual(0.9 * tokens);
});

it("takes whatever a string can hold", () => {
  for (const text of [
    "\ud800",
    "a\ud800b",
    "\udc00\ud800",
    "\0\u0001\u007f",
    "\u{1f600}".repeat(10),
    "é".repeat(50),
  ])
    expect(estimateTokens(text)).toBeGreaterThan(0);
});

it("is linear: ten times the text takes about ten times as long", () => {
  const text = tokenSamples.English[0]?.text.repeat(600) ?? "";
  const once = fastest(() => estimateTokens(text));
  const tenTimes = fastest(() => estimateTokens(text.repeat(10)));
  expect(tenTimes / once).toBeLessThan(80);
});

function fastest(run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 5; count++) {
    const effort = startEffort();
    run();
    best = Math.min(best, effort());
  }
  return best;
}
