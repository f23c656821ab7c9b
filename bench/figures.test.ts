import { expect, it } from "vitest";
import { digits, figureText, summary, timesBetter, timesText } from "./figures.ts";

it("the spread is half of the distance between the quartiles: one outlier does not widen it", () => {
  expect(summary([10, 12, 11, 13, 900])).toEqual({ median: 12, spread: 1 });
  expect(summary([7])).toEqual({ median: 7, spread: 0 });
  expect(summary([1, 2])).toEqual({ median: 1.5, spread: 0.25 });
});

it("of a speed more is better, of a time less", () => {
  expect(timesText(timesBetter(2, 6, "ms"))).toBe("3× better");
  expect(timesText(timesBetter(2, 6, "MB/s"))).toBe("3× worse");
});

it("figures have three digits, the spread two", () => {
  expect(figureText({ median: 0.123456, spread: 0.01234 }, "ms")).toBe("0.123 ±0.012 ms");
  expect(figureText({ median: 12_345.6, spread: 2 }, "ms")).toBe("12,346 ±0 ms");
  expect(figureText({ median: 1.88, spread: 0 }, "%")).toBe("1.88 ±0%");
  expect(digits(0.00000123)).toBe("0.00000123");
});
