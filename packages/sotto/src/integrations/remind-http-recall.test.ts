import { expect, it } from "vitest";
import { createRecall } from "./remind-http.ts";

const history = (...texts: string[]) =>
  texts.map((text) => ({ role: "user", content: [{ type: "text", text }] }));
const shared = (one: readonly unknown[], other: readonly unknown[]) =>
  one.filter((message, index) => message === other[index]).length;

it("what stood at the start of an earlier request is the same objects again, and equal to what was given", () => {
  const recall = createRecall();
  const first = recall(history("a", "b"));
  const second = recall(history("a", "b", "c"));
  expect(shared(first, second)).toBe(2);
  expect(second).toEqual(history("a", "b", "c"));
});

it("behind the first difference all is new, also where it is equal again", () => {
  const recall = createRecall();
  const first = recall(history("a", "b", "c"));
  const second = recall(history("a", "x", "c"));
  expect(shared(first, second)).toBe(1);
  expect(second).toEqual(history("a", "x", "c"));
});

it("another order of keys is another message: what goes out is what was given", () => {
  const recall = createRecall();
  recall([{ role: "user", content: "a" }]);
  expect(JSON.stringify(recall([{ content: "a", role: "user" }]))).toBe('[{"content":"a","role":"user"}]');
});

it("several conversations take turns", () => {
  const recall = createRecall();
  const firsts = ["a", "b", "c", "d"].map((text) => recall(history(text)));
  const seconds = ["a", "b", "c", "d"].map((text) => recall(history(text, "more")));
  expect(firsts.map((first, index) => shared(first, seconds[index] ?? []))).toEqual([1, 1, 1, 1]);
});
