import { expect, test } from "vitest";
import { edited, isMade, isUnmade, type TextEdit } from "./text-edits.ts";

const one = (text: string, edit: TextEdit, found?: string) => edited(text, [edit], found);

test("a part is replaced where it is, in one place unless in all", () => {
  expect(one("a b", { old: "a", new: "c" })).toBe("c b");
  expect(one("a a", { old: "a", new: "c" })).toBeUndefined();
  expect(one("a a", { old: "a", new: "c", all: true })).toBe("c c");
  expect(one("a b", { old: "x", new: "c" })).toBeUndefined();
  expect(one("a b", { old: "", new: "c" })).toBeUndefined();
  expect(edited(undefined, [{ new: "all" }])).toBe("all");
});

test("lines are found as whole lines, behind the last ones and behind a line that is named", () => {
  const text = "one\nif x:\n  same\ntwo\nif x:\n  same\n  same two\n";
  const same = { lines: true, old: "  same\n", new: "  other\n" } as const;
  expect(one(text, same)).toBe("one\nif x:\n  other\ntwo\nif x:\n  same\n  same two\n");
  expect(one(text, { ...same, after: "two" })).toBe("one\nif x:\n  same\ntwo\nif x:\n  other\n  same two\n");
  expect(edited(text, [same, same])).toBe("one\nif x:\n  other\ntwo\nif x:\n  other\n  same two\n");
  expect(edited(text, [same, same, same])).toBeUndefined();
  expect(one(text, { ...same, after: "three" })).toBeUndefined();
  // Not a part of a line.
  expect(one("x same\nsame\n", { lines: true, old: "same\n", new: "" })).toBe("x same\n");
});

test("the last line may have no end", () => {
  const edit: TextEdit = { lines: true, old: "b\n", new: "c\n" };
  expect(one("a\nb", edit, "a\nc")).toBe("a\nc");
  expect(one("a\nb", edit, "a\nc\n")).toBe("a\nc\n");
});

test("lines are put in behind a line, or at the end", () => {
  expect(one("a\nb\n", { lines: true, new: "c\n" })).toBe("a\nb\nc\n");
  expect(one("a\nb\n", { lines: true, at: 0, new: "c\n" })).toBe("c\na\nb\n");
  expect(one("a\nb\n", { lines: true, at: 1, new: "c\n" })).toBe("a\nc\nb\n");
  // Some tools put in a line end of their own.
  expect(one("a\nb\n", { lines: true, at: 1, new: "c\n" }, "a\nc\n\nb\n")).toBe("a\nc\n\nb\n");
  expect(one("a\nb\n", { lines: true, at: 3, new: "c\n" })).toBeUndefined();
});

test("line ends are the file's, or what the tool wrote", () => {
  expect(one("a\r\nb\r\n", { old: "a\nb", new: "c\nd" })).toBe("c\r\nd\r\n");
  expect(one("a\r\nb\r\n", { old: "b", new: "c\nd" }, "a\r\nc\nd\r\n")).toBe("a\r\nc\nd\r\n");
  expect(one("a\r\nb\nc\r\n", { old: "b\n", new: "d\n" }, "a\r\nd\nc\r\n")).toBe("a\r\nd\nc\r\n");
});

test("what was written can be told from what was not", () => {
  const edits = [{ old: "return a", new: "return\n  b" }];
  expect(isMade("x\nreturn\n  b", edits)).toBe(true);
  expect(isMade("x\nreturn a", edits)).toBe(false);
  expect(isUnmade("x\nreturn a", edits)).toBe(true);
  expect(isUnmade("x\nreturn b", edits)).toBe(false);
  // Nothing shows that something was removed.
  expect(isUnmade("x", [{ old: "y", new: "" }])).toBe(false);
});
