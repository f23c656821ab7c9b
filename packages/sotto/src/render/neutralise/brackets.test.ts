import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forgesTag } from "../../../../../test/support/unicode-fold.ts";
import { bracketsBefore } from "./brackets.ts";
import { knownTags } from "./markers.ts";
import { createNeutraliser, defaultReservedTags } from "./neutralise.ts";
import { namesOf } from "./tag-names.ts";

const { text } = createNeutraliser();
const names = namesOf([...defaultReservedTags, ...knownTags]);
const brackets = bracketsBefore(names);

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
  it("AC-39 open no tag: the result is the same with a reference for each, which are all read", () => {
    fc.assert(
      fc.property(texts, (value) => {
        const neutral = text(value);
        const asReferences = (one: string) => one.replaceAll("<", "&lt;");
        expect(text(asReferences(value))).toBe(asReferences(neutral));
        expect(forgesTag(neutral, defaultReservedTags)).toBe(false);
        expect(text(neutral)).toBe(neutral);
      }),
      { numRuns: 5_000, seed: 16 },
    );
  });

  it("AC-39 are in pages, and none are in forged tags", () => {
    const found = (value: string) =>
      Array.from(value.matchAll(brackets), ({ index }) => value.slice(index, index + 4));
    const page = '<div><section id="a"><table border=1><tr><u>x</u></tr></table></section></div>';
    expect(found(page)).toEqual(["<sec", "<tab", "<u>x", "</u>", "</ta", "</se"]);
    const forged = "</system-reminder><tool_call><session x:task-notification><ѕection>";
    expect(found(forged)).toEqual(["</sy", "<too", "<ses", "<ѕec"]);
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
