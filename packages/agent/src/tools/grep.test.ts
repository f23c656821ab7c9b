import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runGrep } from "./grep.ts";
import { findRipgrep } from "./search/ripgrep.ts";
import { openWorkbench, type Workbench } from "./testing.ts";
import type { ToolContext } from "./tool.ts";

let bench: Workbench;
beforeEach(() => {
  bench = openWorkbench();
});
afterEach(() => bench.close());

const installed = findRipgrep();

describe.each([
  { engine: "the worker", program: undefined, isThere: true },
  installed === undefined
    ? { engine: "ripgrep (skipped; to get it: apt-get install ripgrep)", program: installed, isThere: false }
    : { engine: "ripgrep", program: installed, isThere: true },
])("with $engine", ({ program, isThere }) => {
  const test = it.skipIf(!isThere);
  const search = (
    input: Parameters<typeof runGrep>[0],
    changed: Partial<ToolContext> = {},
    limitMs?: number,
  ) => runGrep(input, { ...bench.context, ...changed }, program, limitMs);
  const lines = async (input: Parameters<typeof runGrep>[0]) => (await search(input)).text.split("\n");

  test("gives the files with a match", async () => {
    bench.file("src/a.ts", "const one = 1;\n");
    bench.file("b.ts", "one\none\n");
    bench.file("c.ts", "two\n");
    expect(await search({ pattern: "on[e]" })).toEqual({
      text: "b.ts\nsrc/a.ts",
      summary: "2 files",
      paths: [bench.at("b.ts"), bench.at("src/a.ts")],
    });
    expect(await lines({ pattern: "one", output_mode: "count" })).toEqual(["b.ts:2", "src/a.ts:1"]);
    expect(await lines({ pattern: "seven" })).toEqual(["No matches found."]);
  });

  test("AC-45 an ignore file that leads to an endless device costs no memory, and hides nothing", async () => {
    bench.file("a.txt", "hit\n");
    bench.file("deep/b.txt", "hit\n");
    mkdirSync(bench.at(".git/info"), { recursive: true });
    for (const path of [".gitignore", ".git/info/exclude", "deep/.gitignore"])
      symlinkSync("/dev/zero", bench.at(path));
    expect(await lines({ pattern: "hit" })).toEqual(expect.arrayContaining(["a.txt", "deep/b.txt"]));
  });

  test("AC-45 an ignore file that is a pipe is not waited for, and hides nothing", async () => {
    bench.file("deep/a.txt", "hit\n");
    mkdirSync(bench.at(".git/info"), { recursive: true });
    for (const path of [".gitignore", ".git/info/exclude"]) execFileSync("mkfifo", [bench.at(path)]);
    expect(await lines({ pattern: "hit" })).toEqual(["deep/a.txt"]);
    expect(await lines({ pattern: "hit", path: "deep" })).toEqual(["deep/a.txt"]);
  });

  test("gives the lines, with what is around them", async () => {
    bench.file("a.txt", "1\n2\nhit\n4\n5\n6\n7\nHIT\n9\n");
    const content = { output_mode: "content" as const };
    expect(await lines({ pattern: "hit", ...content })).toEqual(["a.txt:3:hit"]);
    expect(await lines({ pattern: "hit", ...content, "-i": true, "-n": false })).toEqual([
      "a.txt:hit",
      "a.txt:HIT",
    ]);
    expect(await lines({ pattern: "(?i)hit", ...content, "-C": 1 })).toEqual([
      "a.txt-2-2",
      "a.txt:3:hit",
      "a.txt-4-4",
      "--",
      "a.txt-7-7",
      "a.txt:8:HIT",
      "a.txt-9-9",
    ]);
    expect(await lines({ pattern: "hit", ...content, "-A": 1 })).toEqual(["a.txt:3:hit", "a.txt-4-4"]);
    expect(await lines({ pattern: "hit", ...content, "-B": 1, path: "a.txt" })).toEqual([
      "a.txt-2-2",
      "a.txt:3:hit",
    ]);
  });

  test("finds over several lines where that is wanted", async () => {
    bench.file("a.txt", "x\nbegin\nmiddle\nend\ny\n");
    const input = { pattern: "begin.*end", output_mode: "content" as const };
    expect(await lines(input)).toEqual(["No matches found."]);
    expect(await lines({ ...input, multiline: true })).toEqual([
      "a.txt:2:begin",
      "a.txt:3:middle",
      "a.txt:4:end",
    ]);
  });

  test("looks at some files only, and at hidden ones", async () => {
    for (const name of ["a.ts", "b.tsx", "src/c.ts", "d.js", ".github/e.ts"]) bench.file(name, "hit");
    expect(await lines({ pattern: "hit", glob: "*.ts" })).toEqual([".github/e.ts", "a.ts", "src/c.ts"]);
    expect(await lines({ pattern: "hit", glob: "*.{js,tsx}" })).toEqual(["b.tsx", "d.js"]);
    expect(await lines({ pattern: "hit", glob: "src/**" })).toEqual(["src/c.ts"]);
    expect(await lines({ pattern: "hit", path: "src" })).toEqual(["src/c.ts"]);
  });

  test("leaves out what Git ignores, unless that is what was asked for", async () => {
    for (const name of ["a.txt", "dist/b.txt", "src/c.log", "src/keep.log", ".git/d.txt"])
      bench.file(name, "hit");
    bench.file(".gitignore", "dist\n*.log\n");
    bench.file("src/.gitignore", "!keep.log\n");
    expect(await lines({ pattern: "hit" })).toEqual(["a.txt", "src/keep.log"]);
    expect(await lines({ pattern: "hit", path: "src" })).toEqual(["src/keep.log"]);
    expect(await lines({ pattern: "hit", path: "dist" })).toEqual(["dist/b.txt"]);
  });

  test("passes by what is no text, what hangs, and where links lead", async () => {
    bench.file("a.txt", "hit");
    bench.file("binary", Buffer.from("\0hit"));
    execFileSync("mkfifo", [bench.at("pipe")]);
    mkdirSync(join(bench.directory, "outside"));
    writeFileSync(join(bench.directory, "outside", "secret.txt"), "hit");
    symlinkSync(join(bench.directory, "outside"), bench.at("link"));
    symlinkSync(join(bench.directory, "outside", "secret.txt"), bench.at("link.txt"));
    symlinkSync(".", bench.at("circle"));
    expect(await lines({ pattern: "hit" })).toEqual(["a.txt"]);
    await expect(search({ pattern: "hit", path: "pipe" })).rejects.toThrow(
      "is neither a file nor a directory",
    );
    await expect(search({ pattern: "hit", path: "link" })).rejects.toThrow("--add-dir");
  });

  test("leaves out what may not be read", async () => {
    bench.file("a.txt", "hit");
    bench.file("keys/b.txt", "hit");
    expect((await search({ pattern: "hit" }, { denyRead: ["keys/"] })).text).toBe("a.txt");
  });

  test("names files by the way the model gave", async () => {
    bench.file("real/a.txt", "hit");
    symlinkSync("real", bench.at("alias"));
    expect(await lines({ pattern: "hit", path: "alias" })).toEqual(["alias/a.txt"]);
  });

  test("an expression that would take for ever is ended, or never takes long", async () => {
    bench.file("a.txt", "found\n");
    bench.file("b.txt", `${"a".repeat(5000)}!\n`);
    const { text } = await search({ pattern: "(?:a+)+$|found" }, {}, 1000);
    expect(text.split("\n")[0]).toBe("a.txt");
  });

  test("a broken expression is told", async () => {
    await expect(search({ pattern: "(unclosed" })).rejects.toThrow("invalid pattern");
    await expect(search({ pattern: "-e/etc/passwd" })).resolves.toMatchObject({ text: "No matches found." });
  });

  test("shows as much as was asked for, and never a long line", async () => {
    bench.file("a.txt", "hit\n".repeat(1000));
    const few = await lines({ pattern: "hit", output_mode: "content", head_limit: 3 });
    expect(few).toEqual([
      "a.txt:1:hit",
      "a.txt:2:hit",
      "a.txt:3:hit",
      "[There may be more matches: narrow the search.]",
    ]);
    bench.file("b.txt", `${"x".repeat(10_000)}needle${"x".repeat(10_000)}`);
    const [line = ""] = await lines({ pattern: "needle", output_mode: "content" });
    expect(line).toContain("needle");
    expect(line.length).toBeLessThan(450);
  });

  test("a line of 50 MB does no harm", async () => {
    bench.file("a.txt", "needle");
    bench.file("minified.js", `${"x".repeat(50 * 1024 * 1024)}needle`);
    const [first] = await lines({ pattern: "needle", output_mode: "content" });
    expect(first).toBe("a.txt:1:needle");
  });

  test("stops when it is told to", async () => {
    bench.file("a.txt", "hit");
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(search({ pattern: "hit" }, { signal })).rejects.toThrow("enough");
  });
});

it("ripgrep is found by its absolute place only", () => {
  expect(findRipgrep("relative::")).toBeUndefined();
});

it("through the tool, hits are paths that instructions may speak about", async () => {
  const path = bench.file("src/a.ts", "hit");
  await bench.call("Grep", { pattern: "hit" });
  expect(bench.events("tool_finished")).toEqual([
    {
      type: "tool_finished",
      toolName: "Grep",
      callId: "call-1",
      success: true,
      durationMs: expect.any(Number),
      paths: [path],
    },
  ]);
});

it.skipIf(process.platform === "win32")("our own search takes over from a ripgrep that dies", async () => {
  bench.file("a.txt", "hit\n");
  const said = [
    { type: "begin", data: { path: { text: bench.at("ghost.txt") } } },
    { type: "match", data: { lines: { text: "hit\n" }, line_number: 1 } },
    { type: "end", data: {} },
  ].map((one) => JSON.stringify(one));
  const script = ["#!/bin/sh", "cat <<'END'", ...said, "END", "kill -ABRT $$"].join("\n");
  writeFileSync(bench.at("rg"), script, { mode: 0o755 });
  const { text } = await runGrep({ pattern: "^hit" }, bench.context, bench.at("rg"));
  expect(text).toBe("a.txt");
});
