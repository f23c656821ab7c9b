import { expect, it } from "vitest";
import { startEffort } from "../../../../test/support/effort.ts";
import { sizeProblem } from "./size.ts";

const circular: Record<string, unknown> = { a: 1 };
circular.self = [circular];
let deep: unknown = 0;
for (let depth = 0; depth < 200; depth++) deep = [deep];
const shared = { x: 1 };

it.each([
  ["text", "hello", undefined],
  ["plain data", { a: [1, "b", null, undefined, true, { c: {} }] }, undefined],
  ["the same object twice", [shared, shared, { shared }], undefined],
  ["a list of 10 000", Array.from({ length: 10_000 }, (_, index) => ({ index })), undefined],
  ["something circular", circular, "circular"],
  ["a function", { run: () => 1 }, "not plain data"],
  ["a symbol", [Symbol("x")], "not plain data"],
  ["a big integer", { n: 10n }, "not plain data"],
  ["bytes", { image: new Uint8Array(10) }, "not plain data"],
  ["text without end", ["x".repeat(2_000_000), "y".repeat(2_000_001)], "more than 4000000 characters"],
  ["a list without end", new Array(300_000).fill(0), "more than 200000 values"],
  ["something nested without end", deep, "nested more than 100 deep"],
])("%s", (_, value, problem) => {
  expect(sizeProblem(value)).toBe(problem);
});

it("is found out about 100 MB at once", () => {
  const effort = startEffort();
  expect(sizeProblem({ text: "x".repeat(100_000_000) })).toBe("more than 4000000 characters");
  expect(effort()).toBeLessThan(500);
});
