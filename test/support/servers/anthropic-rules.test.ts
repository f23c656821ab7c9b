// The Anthropic rules refuse every case made to break one, for that reason alone, and take every valid one.
import { describe, expect, test } from "vitest";
import { invalidAnthropic } from "./anthropic-invalid.ts";
import { checkAnthropicMessages } from "./anthropic-rules.ts";
import { validAnthropic } from "./anthropic-valid.ts";

describe("what Anthropic refuses", () => {
  test.each(invalidAnthropic)("$rule", ({ body, rules, expect: complaints }) => {
    expect(checkAnthropicMessages(body, rules)).toEqual(
      [complaints].flat().map((complaint) => expect.stringMatching(complaint)),
    );
  });
});

describe("what Anthropic takes", () => {
  test.each(validAnthropic)("$what", ({ body, rules }) => {
    expect(checkAnthropicMessages(body, rules)).toEqual([]);
  });
});

test("each case has a name of its own", () => {
  const names = [...invalidAnthropic.map(({ rule }) => rule), ...validAnthropic.map(({ what }) => what)];
  expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
});
