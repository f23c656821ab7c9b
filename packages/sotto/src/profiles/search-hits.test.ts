import process from "node:process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { searchHits } from "./search-hits.ts";

const name = fc.stringMatching(/^[a-zA-Z_][\w+@-]{0,6}(?: [a-z]{1,4})?$/u);
const path = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 4 }), fc.constantFrom(".ts", ".test.tsx", ".md"))
  .map(([names, ending]) => names.join("/") + ending);
const words = fc.stringMatching(/^[ -~]{0,30}$/u);

/** As agents show matches: with the file before each, or above them. */
const styles: readonly ((path: string, line: string) => string)[] = [
  (at, line) => `${at}:12:${line}`,
  (at, line) => `${at}:12:5: ${line}`,
  (at, line) => `./${at}:7: ${line}`,
  (at, line) => `File: ${at}\nL12: ${line}`,
  (at, line) => `${at}:\n  Line 12: ${line}`,
  (at) => at,
];

describe("the files that a search showed", () => {
  test("are found in the outputs of agents, in whatever form these are", () => {
    const forms: readonly ((text: string) => unknown)[] = [
      (text) => text,
      (text) => [{ type: "text", text }],
      (text) => ({ output: text }),
      (text) => ({ type: "text", value: text }),
      (text) => ({ mode: "content", numFiles: 1, content: `Found 2 matches\n${text}\r\n` }),
    ];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(path, words), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...styles),
        fc.constantFrom(...forms),
        (found, style, form) => {
          const text = found.map(([at, line]) => style(at, line)).join("\n");
          expect(searchHits(form(text))).toEqual(expect.arrayContaining(found.map(([at]) => at)));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("are no lines of prose, code, addresses or times", () => {
    const lines = [
      "No matches found",
      "Found 3 files",
      "12:30:00: done",
      "import { a } from './a.ts';",
      "see https://example.org/a.html",
      "const path = 'src/a.ts'",
      "...",
      "--",
      "src/",
      "{ a/b.ts }",
      "<system-reminder>",
      `${"x".repeat(2000)}/a.ts`,
    ];
    expect(searchHits(lines.join("\n"))).toEqual([]);
    for (const output of [undefined, null, 5, {}, [], { a: { b: [null, true] } }])
      expect(searchHits(output)).toEqual([]);
  });

  test("count from the searched directory as well, unless they begin with it", () => {
    expect(searchHits("a.ts\n/abs/b.ts\nsrc/c.ts", "src")).toEqual([
      "a.ts",
      "src/a.ts",
      "/abs/b.ts",
      "src/c.ts",
    ]);
    expect(searchHits("src/a.ts:1:x", "/repo/src/")).toEqual(["src/a.ts", "/repo/src/src/a.ts"]);
  });

  test("are bounded, however long, deep or odd the output is", () => {
    const many = Array.from({ length: 5000 }, (_, index) => `src/f${index}.ts:1:x`).join("\n");
    expect(searchHits(many)).toHaveLength(100);
    let deep: unknown = "src/a.ts";
    for (let depth = 0; depth < 5000; depth++) deep = [deep];
    expect(searchHits(deep)).toEqual([]);
    const started = process.cpuUsage();
    for (const piece of ["a", "a ", "a:", ":1", "/", "File: ", "a/b ", "\t"])
      searchHits(piece.repeat(Math.floor(1_000_000 / piece.length)));
    // What grows with the square takes minutes.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000);
  });
});
