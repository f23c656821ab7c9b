import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText } from "./cut-text.ts";

describe("cutting a text", () => {
  it("leaves alone what fits", () => {
    expect(cutText("")).toEqual({ text: "", truncated: false, shownLines: 0, totalLines: 0 });
    expect(cutText("a\nb\n")).toEqual({ text: "a\nb\n", truncated: false, shownLines: 2, totalLines: 2 });
    expect(cutText("a\r\nb")).toEqual({ text: "a\r\nb", truncated: false, shownLines: 2, totalLines: 2 });
  });

  it("cuts behind whole lines", () => {
    expect(cutText("a\nb\nc\n", { maxLines: 2 })).toEqual({
      text: "a\nb\n",
      truncated: true,
      shownLines: 2,
      totalLines: 3,
    });
    expect(cutText("aaa\nbbb\nccc\n", { maxCharacters: 9 })).toEqual({
      text: "aaa\nbbb\n",
      truncated: true,
      shownLines: 2,
      totalLines: 3,
    });
  });

  it("cuts inside a line that alone is too long, but not inside a character", () => {
    expect(cutText(`a\n${"b".repeat(100)}\nc`, { maxCharacters: 10 })).toEqual({
      text: `a\n${"b".repeat(8)}`,
      truncated: true,
      shownLines: 1,
      totalLines: 3,
    });
    expect(cutText("😀😀😀", { maxCharacters: 3 }).text).toBe("😀");
  });

  it("is a prefix within its limits, for any text", () => {
    const text = fc
      .array(fc.oneof(fc.constant("\n"), fc.string({ unit: "grapheme", maxLength: 8 })))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 2, max: 30 }),
        fc.integer({ min: 1, max: 6 }),
        (whole, characters, lines) => {
          const cut = cutText(whole, { maxCharacters: characters, maxLines: lines });
          const count = (part: string) =>
            part.split("\n").length - (part.endsWith("\n") || part === "" ? 1 : 0);
          expect(whole.startsWith(cut.text)).toBe(true);
          expect(cut.text.length).toBeLessThanOrEqual(characters);
          expect(count(cut.text)).toBeLessThanOrEqual(lines);
          expect(cut.totalLines).toBe(count(whole));
          expect(cut.truncated).toBe(cut.text !== whole);
          expect(count(cut.text) - cut.shownLines).toBeOneOf([0, 1]);
        },
      ),
    );
  });

  it("AC-45 takes linear time, and does not hold on to the 50 MB it was cut from", () => {
    const time = (megabytes: number) => {
      const text = "x".repeat(megabytes * 1_000_000);
      // Flat in memory before the clock runs.
      expect(text.indexOf("y")).toBe(-1);
      const times = [1, 2, 3].map(() => {
        // Of the processor: others may need it meanwhile.
        const start = process.cpuUsage();
        expect(cutText(text)).toMatchObject({ truncated: true, shownLines: 0, totalLines: 1 });
        return process.cpuUsage(start).user / 1000;
      });
      return Math.min(...times);
    };
    expect(time(50)).toBeLessThan(200);
    expect(time(25)).toBeLessThan(100);
    const before = heapInUse();
    const kept = Array.from({ length: 40 }, (_, index) => cutText(String(index % 10).repeat(5_000_000)));
    expect(kept.every(({ text }) => text.length === 40_000)).toBe(true);
    expect(heapInUse() - before).toBeLessThan(20_000_000);
  });
});

/** Without what is no longer needed. */
function heapInUse(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
