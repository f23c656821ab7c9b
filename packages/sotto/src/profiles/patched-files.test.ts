import { expect, test } from "vitest";
import { patchedFiles } from "./tool-events.ts";

test("a patch names what it adds, changes, removes and moves", () => {
  const patch = [
    "*** Begin Patch",
    "*** Add File: new.ts",
    "+*** Update File: not a header",
    "*** Update File: a.ts",
    "*** Move to: b.ts",
    "@@",
    "-x",
    "+y",
    "*** Delete File: old.ts",
    "*** End Patch",
  ].join("\n");
  expect(patchedFiles(patch)).toEqual([
    { path: "new.ts", removed: false, edits: [{ new: "*** Update File: not a header\n" }] },
    {
      path: "b.ts",
      removed: false,
      movedFrom: "a.ts",
      edits: [{ lines: true, old: "x\n", new: "y\n" }],
    },
    { path: "a.ts", removed: true },
    { path: "old.ts", removed: true },
  ]);
});

test("a patch says what it replaces, part by part", () => {
  const patch = [
    "*** Begin Patch",
    "*** Update File: a.ts",
    "@@ function one() {",
    " before",
    "-x",
    "+y",
    "+z",
    "@@",
    "-gone",
    "",
    " behind",
    "*** End of File",
    "*** End Patch",
  ].join("\n");
  const edits = [
    { lines: true, after: "function one() {", old: "before\nx\n", new: "before\ny\nz\n" },
    { lines: true, behind: true, old: "gone\n\nbehind\n", new: "\nbehind\n" },
  ];
  expect(patchedFiles(patch)).toEqual([{ path: "a.ts", removed: false, edits }]);
});

test("what is no patch names nothing", () => {
  expect(patchedFiles("hello")).toEqual([]);
});
