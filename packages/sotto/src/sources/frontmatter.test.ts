import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { startEffort } from "../../../../test/support/effort.ts";
import { runs, times } from "../../../../test/support/runs.ts";
import { createWorkerPool } from "../platform/worker-pool.ts";
import { patternsOf, readFrontmatter, simplePaths } from "./frontmatter.ts";
import { readPaths } from "./yaml-jobs.ts";

const pool = createWorkerPool({ hash: (text) => text });
afterAll(() => pool.close());

const read = (text: string) => readFrontmatter(text, { path: "/proj/r.md", work: pool.run });
const patternsIn = async (lines: string) => (await read(`---\n${lines}\n---\nBody.\n`)).patterns;

describe("frontmatter", () => {
  it.each<[string, string[] | undefined]>([
    ['paths: "src/**/*.{ts,tsx}, lib/**"', ["src/**/*.{ts,tsx}", "lib/**"]],
    ["paths: src/**, lib/**", ["src/**", "lib/**"]],
    ["globs: [\"a\", 'b', c]", ["a", "b", "c"]],
    ['paths:\n  - "a"\n  - b', ["a", "b"]],
    ["paths:\n- a\n- b", ["a", "b"]],
    ["paths: |\n  a\n  b", ["a", "b"]],
    ["paths: a # only these", ["a"]],
    ["paths: **/*.ts", ["**/*.ts"]],
    ["globs: *.ts,*.tsx", ["*.ts", "*.tsx"]],
    ["paths: [**/*.ts, b]", ["**/*.ts", "b"]],
    ["paths:\n  - **/*.ts\n  - !src/gen/**", ["**/*.ts", "!src/gen/**"]],
    ["paths: {src,lib}/**", ["{src,lib}/**"]],
    ["paths: {src,lib}", ["{src,lib}"]],
    ["paths: [src/{a,b}/**]", ["src/{a,b}/**"]],
    ["paths: [a-z]*/**", ["[a-z]*/**"]],
    ['paths: "app/\\[id\\]/**"', ["app/\\[id\\]/**"]],
    ['description: Triggers include: X, Y\npaths: "src/**"', ["src/**"]],
    ["paths: '[a,b].ts'", ["[a,b].ts"]],
    ["paths: [a,b]*.ts, c", ["[a,b]*.ts", "c"]],
    ["paths:\n  - '[a,b].ts, {c,d}[!,]'", ["[a,b].ts", "{c,d}[!,]"]],
    ["globs: [**/[a,b].ts, c]", ["**/[a,b].ts", "c"]],
    ["paths: 'x[],]y,[^],],[[:alpha:],]z,[\\],]'", ["x[],]y", "[^],]", "[[:alpha:],]z", "[\\],]"]],
    ["paths: 'a[b,c,d[/e],f\\[,]'", ["a[b", "c", "d[/e]", "f\\[", "]"]],
    ["paths: |\n  a[b\n  c],d", ["a[b", "c]", "d"]],
    ["paths: '[a{b],c},d'", ["[a{b],c}", "d"]],
    ["paths: 2026", ["2026"]],
    ["paths:\n  -\n  - a", ["a"]],
    ["paths: []", []],
    ["paths:\nglobs: a", ["a"]],
    ["paths:", undefined],
    ["paths: ~", undefined],
    ['paths: ""', undefined],
    ["description: none", undefined],
    ["", undefined],
  ])("%j means %j", async (lines, expected) => {
    expect(await patternsIn(lines)).toEqual(expected);
  });

  it("keeps each pattern of a comma list whole", () => {
    const piece = fc.constantFrom(
      ..."a * ** / .ts [a,b] [!,] [^],x] [],] [[:digit:],] [\\],] {a,b} {a,[b,c]} {a,{b,c}} [{,}] \\, \\[ \\{".split(
        " ",
      ),
    );
    const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
    const separator = fc.constantFrom(",", ", ", " ,", "\n", ",\n");
    fc.assert(
      fc.property(fc.array(fc.tuple(pattern, separator), { minLength: 1, maxLength: 4 }), (list) => {
        expect(patternsOf(list.flat().join(""))).toEqual(list.map(([written]) => written));
      }),
      runs(10_000),
    );
  });

  it("splits a list in time that is in proportion to it", () => {
    const piece = fc.constantFrom("[", "]", "{", "}", ",", "[:", ":]", "!", "a", "\\");
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
        const effort = startEffort();
        patternsOf(pieces.join("").repeat(15_000));
        // A few milliseconds; what is quadratic takes seconds.
        expect(effort()).toBeLessThan(500);
      }),
      runs(200),
    );
  });

  it("loads what cannot be read always, and says why", async () => {
    expect(await read("---\npaths: [invalid\n---\nBody")).toEqual({
      body: "Body",
      problem: expect.stringContaining("its frontmatter cannot be read, so it is always loaded: "),
    });
    expect(await read("---\npaths: a\npaths: b\n---\nBody")).toMatchObject({
      problem: expect.stringContaining("unique"),
    });
    expect(await read("---\npaths: a\nBody")).toEqual({
      body: "---\npaths: a\nBody",
      problem: "its frontmatter is never closed with ---: read as text, always loaded",
    });
  });

  it("says when it had to put values in quotes", async () => {
    expect(await read("---\npaths: **/*.ts\n---\nBody")).toEqual({
      body: "Body",
      patterns: ["**/*.ts"],
      problem: 'its frontmatter is not valid YAML; read as if its values were quoted: ["**/*.ts"]',
    });
  });

  it.each(["path", "glob", "applyTo", "Paths", "files"])("says that %s does not name paths", async (key) => {
    const problem = `its frontmatter has ${key}, not paths: always loaded`;
    expect(await read(`---\n${key}: "a"\n---\nBody`)).toEqual({ body: "Body", problem });
    expect(await read(`---\n${key}:\n  - {}\n---\nBody`)).toEqual({ body: "Body", problem });
    expect(await read(`---\n${key}: "a"\npaths: b\n---\nBody`)).toEqual({ body: "Body", patterns: ["b"] });
  });

  it("takes text between rulers for text", async () => {
    const text = "---\nA heading of sorts\n---\nBody";
    expect(await read(text)).toEqual({ body: text });
    expect(await read("Just text\n---\npaths: a\n---\n")).toEqual({
      body: "Just text\n---\npaths: a\n---\n",
    });
  });

  it("reads Windows line ends", async () => {
    expect(await read("---\r\npaths:\r\n  - a\r\n---\r\nBody\r\n")).toEqual({
      patterns: ["a"],
      body: "Body\r\n",
    });
  });

  it("ends a bomb of aliases", async () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (const [one, two] of ["ab", "bc", "cd", "de", "ef", "fg"].map((pair) => pair.split("")))
      bomb.push(`${two}: &${two} [${Array(9).fill(`*${one}`).join(",")}]`);
    bomb.push("paths: *g");
    const { patterns, problem } = await read(`---\n${bomb.join("\n")}\n---\nBody`);
    expect({ patterns, problem }).toEqual({
      patterns: ["*g"],
      problem: expect.stringContaining("not valid YAML"),
    });
  });

  it("reads the simple forms as the YAML parser does", () => {
    const word = fc.constantFrom(
      ..."a src/** *.ts **/*.{ts,tsx} !x !!str null ~ true 12 1.5 .x ./y -x ?x :x a:b a: @a `b` %c {a,b} [a] [a, [ ] x#y & &a * | > ' \" , é ..".split(
        " ",
      ),
      "a b",
      "a # b",
      "a: b",
      '"q"',
      "'q'",
      '"q, r"',
      '"a\\b"',
      "'it''s'",
      '["a", b]',
      "[*.ts,'x']",
      "[]",
      "[a,]",
      "[!a, b]",
      "",
      " ",
      "*.ts, *.tsx",
      '"a" b',
    );
    const line = fc.oneof(
      fc.tuple(
        fc.constantFrom("paths:", "globs:", "path:", "other:", "paths", "a b:", "#", "x-y:"),
        fc.constantFrom("", " ", "  "),
        word,
      ),
      fc.tuple(fc.constantFrom("  -", "-", " -", "    -", "  - -"), fc.constantFrom(" ", "  ", ""), word),
      fc.tuple(fc.constantFrom("", "  ", "paths:"), fc.constant(""), fc.constant("")),
    );
    let simple = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
        const block = `${lines.map((parts) => parts.join("")).join("\n")}\n`;
        const fast = simplePaths(block);
        if (fast === undefined) return;
        simple++;
        const slow = readPaths({ block });
        expect({ block, ...fast, patterns: patternsOf(fast.value) }).toEqual({
          block,
          ...slow,
          patterns: patternsOf(slow.value),
        });
      }),
      runs(20_000),
    );
    expect(simple).toBeGreaterThan(times(4000));
  });
});
