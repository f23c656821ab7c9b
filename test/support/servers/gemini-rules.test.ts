// The Gemini rules refuse every case made to break one, for that reason alone, and take every valid one.
import { describe, expect, test } from "vitest";
import { invalidGemini } from "./gemini-invalid.ts";
import { checkGemini } from "./gemini-rules.ts";
import { validGemini } from "./gemini-valid.ts";

describe("what Gemini refuses", () => {
  test.each(invalidGemini)("$rule", ({ body, rules, expect: complaints }) => {
    expect(checkGemini(body, rules)).toEqual(
      [complaints].flat().map((complaint) => expect.stringMatching(complaint)),
    );
  });
});

describe("what Gemini takes", () => {
  test.each(validGemini)("$what", ({ body, rules }) => {
    expect(checkGemini(body, rules)).toEqual([]);
  });
});

test("each case has a name of its own", () => {
  const names = [...invalidGemini.map(({ rule }) => rule), ...validGemini.map(({ what }) => what)];
  expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
});
