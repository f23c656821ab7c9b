import { expect, test } from "vitest";
import { createRecent, type Recent } from "./recent.ts";

function ownerIn(recent: Recent) {
  const kept = new Set<string>();
  const { add } = recent.owner<string>((item) => kept.delete(item));
  return {
    kept,
    add(item: string, size: number) {
      kept.add(item);
      return add(item, size);
    },
  };
}

test("all owners share one limit: the oldest goes first, and what is larger than all is not kept", () => {
  const recent = createRecent(100);
  const [one, other] = [ownerIn(recent), ownerIn(recent)];
  one.add("a", 40);
  other.add("b", 40);
  one.add("c", 40);
  expect([...one.kept, ...other.kept]).toEqual(["c", "b"]);
  other.add("d", 101);
  expect([...one.kept, ...other.kept]).toEqual([]);
  other.add("e", 100);
  expect([...other.kept]).toEqual(["e"]);
});

test("what was forgotten before its time does not count, however often it is forgotten", () => {
  const { add, kept } = ownerIn(createRecent(100));
  for (let next = 1; next <= 50; next++) {
    const forget = add(String(next), 60);
    if (next === 50) break;
    forget();
    forget();
  }
  expect([...kept]).toEqual(["50"]);
});
