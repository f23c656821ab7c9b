import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeDirectory, makeDirectorySync } from "./make-directory.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sotto-directory-"));
});
afterEach(() => rmSync(root, { recursive: true }));

describe.each([
  ["makeDirectory", makeDirectory],
  ["makeDirectorySync", async (path: string, mode?: number) => makeDirectorySync(path, mode)],
])("%s", (_, make) => {
  test("makes what is missing, for its owner alone, and leaves what is there", async () => {
    mkdirSync(join(root, "a"), { mode: 0o755 });
    symlinkSync("a", join(root, "link"));
    await make(join(root, "link/b/c"));
    await make(join(root, "link/b/c"));
    expect(["a", "a/b", "a/b/c"].map((name) => statSync(join(root, name)).mode & 0o777)).toEqual([
      ...[0o755, 0o700, 0o700],
    ]);
    await make(join(root, "d/e"), 0o755);
    expect(statSync(join(root, "d/e")).mode & 0o777).toBe(0o755);
  });

  test("many at the same time do not disturb each other", async () => {
    const path = join(root, "a/b/c/d/e");
    await Promise.all(Array.from({ length: 50 }, () => make(path)));
    expect(existsSync(path)).toBe(true);
  });

  test("a file in the way is an error", async () => {
    writeFileSync(join(root, "file"), "");
    await expect(make(join(root, "file/a"))).rejects.toThrow("ENOTDIR");
  });

  // Node's recursive mkdir would go on for ever.
  test.runIf(existsSync("/proc/self"))("a place that takes no directories is an error", async () => {
    for (const path of ["/proc/sotto-none", "/proc/sotto-none/a/b"])
      await expect(make(path)).rejects.toThrow("ENOENT");
  });
});
