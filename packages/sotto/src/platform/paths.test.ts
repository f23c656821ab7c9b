import { expect, it } from "vitest";
import { absolutePath } from "./paths.ts";

it.each([
  ["a.ts", "/repo", "/repo/a.ts"],
  ["./a//b/../c.ts", "/repo/", "/repo/a/c.ts"],
  ["../../../../etc/passwd", "/repo/x", "/etc/passwd"],
  ["/a/./b/", "/repo", "/a/b"],
  ["//a///b", "/repo", "/a/b"],
  ["", "/repo", "/repo"],
  ["/", "/repo", "/"],
  ["..", "/", "/"],
  ["a\\b.ts", "/repo", "/repo/a\\b.ts"],
  ["C:\\work\\..\\a.ts", "/repo", "C:/a.ts"],
  ["a\\..\\b.ts", "C:\\work", "C:/work/b.ts"],
  ["~/a", "/repo", "/repo/~/a"],
  ["…/ü", "/repo", "/repo/…/ü"],
])("%j in %j is %j", (path, cwd, absolute) => {
  expect(absolutePath(path, cwd)).toBe(absolute);
  expect(absolutePath(absolute, "/elsewhere")).toBe(absolute);
});
