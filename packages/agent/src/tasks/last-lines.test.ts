import { expect, it } from "vitest";
import { lastLines } from "./background-tasks.ts";

it.each([
  ["one\ntwo\n\n three \n", "two; three"],
  ["\u001b[32mgreen\u001b[0m\nbell\u0007 and\ttab", "green; bell and tab"],
  ["10%\r50%\r100%\r\ndone\r\n", "100%; done"],
  ["", ""],
  ["   \n \n", ""],
])("%j: %s", (text, expected) => expect(lastLines(text, { count: 2, most: 100 })).toBe(expected));

it("keeps the end of a long line", () => {
  expect(lastLines(`${"x".repeat(500)}end`, { count: 1, most: 10 })).toBe(`…${"x".repeat(7)}end`);
});
