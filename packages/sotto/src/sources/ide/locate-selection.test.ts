import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { locateSelection } from "./editor-events.ts";

const file = "one\ntwo\nthree\none\ntwo\nfour\n";

it.each([
  ["within a line, by the cursor alone", "wo", { line: 5, character: 4 }, undefined, [5, 5]],
  ["the cursor at its end", "one\ntwo", { line: 2, character: 4 }, file, [1, 2]],
  ["the cursor at its beginning", "one\ntwo", { line: 4, character: 1 }, file, [4, 5]],
  ["whole lines, without the one the cursor is in", "one\ntwo\n", { line: 6, character: 1 }, file, [4, 5]],
  ["with the line ends of another system", "one\r\ntwo", { line: 5, character: 4 }, file, [4, 5]],
  ["only once in the file", "two\nthree", undefined, file, [2, 3]],
  [
    "changed, not saved, the cursor cannot be at its end",
    "new\ntext",
    { line: 7, character: 2 },
    file,
    [7, 8],
  ],
])("is found: %s", (_case, selected, cursor, text, [lineStart, lineEnd]) => {
  expect(locateSelection(selected, cursor, text)).toEqual({ lineStart, lineEnd });
});

it.each([
  ["twice in the file, and no cursor", "one\ntwo", undefined, file],
  ["not in the file, the cursor at either end", "new\ntext", { line: 7, character: 5 }, file],
  ["no file and no cursor", "new\ntext", undefined, undefined],
])("cannot be known: %s", (_case, selected, cursor, text) => {
  expect(locateSelection(selected, cursor, text)).toBeUndefined();
});

it("what is selected in a file is found there, or nothing is said", () => {
  const text = fc.array(fc.constantFrom("a", "b", "\n"), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(text, fc.nat(40), fc.nat(40), fc.boolean(), (letters, a, b, atEnd) => {
      const content = letters.join("");
      const [from, to] = [Math.min(a, b), Math.max(a, b)].map((at) => Math.min(at, content.length)) as [
        number,
        number,
      ];
      const selected = content.slice(from, to);
      if (selected.trim() === "") return;
      const before = content.slice(0, atEnd ? to : from).split("\n");
      const cursor = { line: before.length, character: (before.at(-1) ?? "").length + 1 };
      const found = locateSelection(selected, cursor, content);
      if (found === undefined) return;
      const first = content.slice(0, from).split("\n").length;
      const lines = selected.replace(/\n$/u, "").split("\n").length;
      // One line with its end selected, the cursor behind it, is told apart by the file.
      expect(found).toEqual({ lineStart: first, lineEnd: first + lines - 1 });
    }),
    runs(2000),
  );
});
