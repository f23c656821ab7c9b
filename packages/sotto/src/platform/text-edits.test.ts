import { expect, test } from "vitest";
import { seeded } from "../../../../test/support/seeded.ts";
import { edited, editedAs, editedUnseen, isMade, isUnmade, type TextEdit } from "./text-edits.ts";

const one = (text: string, edit: TextEdit, found?: string) =>
  found === undefined ? edited(text, [edit]) : editedAs(found, text, [edit]);

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
  const next = { ...same, behind: true } as const;
  expect(edited(text, [same, next])).toBe("one\nif x:\n  other\ntwo\nif x:\n  other\n  same two\n");
  expect(edited(text, [same, next, next])).toBeUndefined();
  // Another patch looks from the beginning again.
  expect(edited(text, [{ ...same, after: "two" }, same])).toBe(edited(text, [same, next]));
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

test("line ends are those on disk, whichever the tool wrote", () => {
  expect(one("a\r\nb\r\n", { old: "a\nb", new: "c\nd" })).toBe("c\nd\n");
  expect(one("a\r\nb\r\n", { old: "a\nb", new: "c\nd" }, "c\r\nd\r\ne\r\n")).toBe("c\r\nd\r\n");
  expect(one("a\r\nb\r\n", { old: "b", new: "c\nd" }, "x\r\nc\nd\r\n")).toBe("a\r\nc\nd\r\n");
  const lines = { lines: true, old: "b\nc\n", new: "d\nc\n" } as const;
  expect(one("a\r\nb\nc\r\n", lines, "x\r\nd\nc\r\n")).toBe("a\r\nd\nc\r\n");
});

test("a tool takes the end of an empty line along, or does not, whatever others write around it", () => {
  const edits = [
    { old: "a", new: "" },
    { old: "c", new: "C" },
  ];
  expect(editedAs("C\nD\n", "a\nc\nd\n", edits)).toBe("C\nd\n");
  expect(editedAs("\nC\nD\n", "a\nc\nd\n", edits)).toBe("\nC\nd\n");
});

test("what was written can be told from what was not", () => {
  const known = "x\nreturn a\ny";
  const edits = [{ old: "return a", new: "return\n  b" }];
  expect(isMade("x\nreturn\n  b", edits)).toBe(true);
  expect(isMade("x\nreturn a", edits)).toBe(false);
  expect(isUnmade("x\nreturn a\nz", known, edits)).toBe(true);
  expect(isUnmade("x\nreturn b\nz", known, edits)).toBe(false);
  // A tool may find, and write, other quotes.
  const quoted = [{ old: "say('a')", new: "say('b')" }];
  expect(isUnmade("say(‘b’)\nz", "say(‘a’)\ny", quoted)).toBe(false);
  // One of several.
  const lines = [{ lines: true as const, old: "x\n", new: "" }];
  expect(isUnmade("y\nx\nz\n", "x\ny\nx\n", lines)).toBe(false);
  expect(isUnmade("x\ny\nx\nz\n", "x\ny\nx\n", lines)).toBe(true);
  // A whole text, and one that was refused.
  expect(isUnmade("a\nb\nperson\n", "c\nd\n", [{ new: "a\nb\n" }])).toBe(false);
  expect(isUnmade("c\nd\nperson\n", "c\nd\n", [{ new: "a\nb\n" }])).toBe(true);
});

test("a tool that finds lines with another indentation: what others wrote meanwhile is not its own", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seeded(seed);
    const lines = Array.from({ length: 12 }, (_, at) => `${" ".repeat(random.below(5))}line ${at};`);
    const known = `${lines.join("\n")}\n`;
    const size = 1 + random.below(3);
    const at = random.below(lines.length - size);
    const indent = (line: string) => " ".repeat(random.below(5)) + line.trim();
    const own = Array.from({ length: random.below(3) }, (_, index) => `own ${index};`);
    const edit = {
      old: lines
        .slice(at, at + size)
        .map(indent)
        .join("\n"),
      new: own.map(indent).join("\n"),
    };
    const made = lines.toSpliced(at, size, ...own.map(indent));
    // Somebody else writes beside it, not within.
    const beside = random.chance(0.5) ? random.below(at + 1) : at + own.length + random.below(3);
    const onDisk = made.toSpliced(beside, 0, "  person;");
    const text = (all: readonly string[]) => `${all.join("\n")}\n`;
    expect(editedAs(text(onDisk), known, [edit]), `seed ${seed}`).toBe(text(made));
  }
});

test("the same in several places, if all of them are changed", () => {
  const edit = { old: "   same();", new: "other();" };
  expect(editedAs("  other();\nperson\n other();\n", "  same();\nx\n same();\n", [edit])).toBe(
    "  other();\nx\n other();\n",
  );
  expect(editedAs("  other();\nx\n same();\n", "  same();\nx\n same();\n", [edit])).toBeUndefined();
});

test("of lines that were edited unseen only these are known, wherever they are", () => {
  const edit = [{ old: "seen", new: "mine" }];
  // It was empty a moment ago.
  expect(editedUnseen("one\nmine\ntwo\n", "", edit)).toBe("mine\n");
  expect(editedUnseen("one\nmine\nnew\ntwo\n", "one\nold\ntwo\n", edit)).toBe("one\nmine\ntwo\n");
  expect(editedUnseen("{\n}\nnew\nmine\n}\n", "{\n}\nold\n}\n", edit)).toBe("{\n}\nmine\n}\n");
  // Nobody can tell where.
  for (const found of ["one\nmine\nmine\n", "one\n"])
    expect(editedUnseen(found, "one\n", edit)).toBeUndefined();
  expect(editedUnseen("one\nmine\n", "one\nmine\nold\n", edit)).toBeUndefined();
});
