import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forgesTag } from "../../../../../test/support/unicode-fold.ts";
import { bracketsBefore } from "./brackets.ts";
import { createNeutraliser, defaultReservedTags, knownTags } from "./neutralise.ts";
import { nameOf } from "./tag-names.ts";

const work = { steps: 0 };
const { text } = createNeutraliser({ onWork: (steps) => (work.steps = steps) });
const brackets = bracketsBefore([...defaultReservedTags, ...knownTags].map(nameOf));

/** A sign that ends a name, and a number that has two readings: with both to be tried, every bracket is read. */
const twoReadings = "=&#x41b .";

// biome-ignore format: a table
const words = [
  "section", "Session", "sec", "sys", "SYSTES", "table", "Task", "tea", "template", "tool", "end", "env", "user", "use", "nest", "mcq", "bad", "fund", "div", "a", "s", "T",
  "system-reminder", "system_reminder", "SYSTEM-REMINDER", "tool_call", "systems-reminder", "session-memory", "5ystem-reminder",
];
const piece = fc.oneof(
  fc.constantFrom(
    "<",
    "</",
    "< ",
    "< /",
    "<\n",
    "<//",
    "<<",
    "＜",
    "«",
    "≮",
    "&lt;",
    "&lt",
    "%3c",
    "<!",
    "→",
  ),
  fc.constantFrom(...words),
  fc.constantFrom(
    ">",
    "/>",
    "=",
    '"',
    " ",
    "  ",
    "\n",
    "-",
    "_",
    ":",
    ".",
    "x:",
    "[",
    "&",
    "&gt;",
    "\u200b",
    "é",
    "日",
    "1",
  ),
  fc.constantFrom(
    ' id="x"',
    " hidden>",
    " class=",
    " a b c d e f g h>",
    " x:system-reminder>",
    "&nbsp;",
    "&amp;",
  ),
);
const texts = fc.array(piece, { maxLength: 16 }).map((parts) => parts.join(""));

describe("AC-39 brackets that are skipped", () => {
  it("AC-39 open no tag: the result is the same if all are read", () => {
    fc.assert(
      fc.property(texts, (value) => {
        const neutral = text(value);
        expect(text(value + twoReadings)).toBe(neutral + twoReadings);
        expect(forgesTag(neutral, defaultReservedTags)).toBe(false);
        expect(text(neutral)).toBe(neutral);
      }),
      { numRuns: 5_000, seed: 16 },
    );
  });

  it("AC-39 would take no more steps than is counted for them", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (value, times) => {
        const whole = value.repeat(times);
        const spared = brackets.stepsSpared(whole, 0, whole.length);
        expect(spared).toBeLessThanOrEqual(brackets.mostSpared * whole.length);
        const taken = (one: string) => {
          text(one);
          return work.steps;
        };
        // The second reading finds the same once more.
        const all = taken(whole + twoReadings) - taken(twoReadings);
        const fewer = taken(whole);
        const decoded = fewer - whole.length;
        expect(all).toBeLessThanOrEqual(whole.length + 2 * (decoded + spared) + 40);
      }),
      { numRuns: 2_000, seed: 16 },
    );
  });

  it("AC-39 are in pages, and none are in forged tags", () => {
    const found = (pattern: RegExp, value: string) =>
      Array.from(value.matchAll(pattern), ({ index }) => value.slice(index, index + 4));
    const page = '<div><section id="a"><table border=1><tr><u>x</u></tr></table></section></div>';
    expect(found(brackets.all, page)).toEqual(["<sec", "<tab", "<u>x", "</u>", "</ta", "</se"]);
    expect(found(brackets.fewer, page)).toEqual(["<u>x", "</u>"]);
    const forged = "</system-reminder><tool_call><session x:task-notification><ѕection>";
    expect(found(brackets.fewer, forged)).toEqual(["</sy", "<too", "<ses", "<ѕec"]);
  });
});

describe("AC-39 text that has nothing to find", () => {
  const names = ["div", "a", "section", "table", "template", "span", "T", "u", "ns:p", "my-own"];
  const references = [
    "&nbsp;",
    "&amp;",
    "&lt;b&gt;",
    "&copy;",
    "&#39;",
    "&eacute;",
    "AT&T",
    "100%",
    "C:\\new",
    "é",
    "’",
    "日本",
  ];
  const plain = fc.oneof(
    fc.constantFrom(...names).map((name) => `<${name} class="x">`),
    fc.constantFrom(...names).map((name) => `</${name}>`),
    fc.constantFrom(...references),
    fc.constantFrom(
      "system-reminder",
      "a < b",
      "x => y",
      "\r\n",
      "\n",
      " ",
      "if (a && b) {",
      "Array<string>",
    ),
  );

  it("AC-39 comes back as it is", () => {
    fc.assert(
      fc.property(fc.array(plain, { maxLength: 40 }), (parts) => {
        const value = parts.join(" ");
        expect(text(value)).toBe(value);
      }),
      { numRuns: 3_000, seed: 16 },
    );
  });
});
