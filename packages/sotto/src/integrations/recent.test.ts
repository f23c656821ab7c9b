import { expect, test } from "vitest";
import { createRecent } from "./recent.ts";

test("the latest comes first, and takes the place of what it replaces", () => {
  const items = createRecent(100).owner<string>();
  items.add("a", 10);
  items.add("b", 10);
  items.add("c", 10, "a");
  expect(items.latestFirst()).toEqual(["c", "b"]);
});

test("all owners share one limit: the oldest goes first, and what is larger than all is not kept", () => {
  const recent = createRecent(100);
  const [one, other] = [recent.owner<string>(), recent.owner<string>()];
  one.add("a", 40);
  other.add("b", 40);
  one.add("c", 40);
  expect([one.latestFirst(), other.latestFirst()]).toEqual([["c"], ["b"]]);
  other.add("d", 101);
  expect([one.latestFirst(), other.latestFirst()]).toEqual([[], []]);
  other.add("e", 100);
  expect(other.latestFirst()).toEqual(["e"]);
});

test("what is replaced does not count", () => {
  const items = createRecent(100).owner<number>();
  for (let next = 1; next <= 50; next++) items.add(next, 60, next - 1);
  expect(items.latestFirst()).toEqual([50]);
});
