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
    { path: "new.ts", removed: false },
    { path: "a.ts", removed: true },
    { path: "b.ts", removed: false },
    { path: "old.ts", removed: true },
  ]);
});

test("what is no patch names nothing", () => {
  expect(patchedFiles("hello")).toEqual([]);
});
