import fc from "fast-check";
import ignore from "ignore";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { expandBraces } from "../platform/braces.ts";
import { compileGlob, matchGlobs, namesOf } from "../platform/gitignore.ts";
import { compilePatterns, freshEffort, matchPatterns as matchNames } from "./path-patterns.ts";

const matchPatterns = (patterns: ReturnType<typeof compilePatterns>, path: string) =>
  matchNames(patterns, namesOf(path), freshEffort());
const matches = (patterns: string[], path: string) => matchPatterns(compilePatterns(patterns), path).matched;

describe("patterns", () => {
  it.each([
    ["*.ts", "src/deep/a.ts", true],
    ["src", "src/deep/a.ts", true],
    ["src", "lib/src/a.ts", true],
    ["/src", "lib/src/a.ts", false],
    ["src/**", "lib/src/a.ts", false],
    ["src/**", "src", false],
    ["src/*", "src/deep/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/test/**/*.ts", "src/a/b/test/c/d.ts", true],
    ["docs/", "docs/a.md", true],
    ["docs/", "docs", false],
    ["./src/**", "src/a.ts", true],
    ["app/(auth)/**", "app/(auth)/login.tsx", true],
    ["app/[[]id]/*", "app/[id]/page.tsx", true],
    ["app/\\[id\\]/*", "app/[id]/page.tsx", true],
    ["**/*.yml", ".github/workflows/ci.yml", true],
    [".*", ".env", true],
    ["a\\ b", "a b", true],
    ["*.{ts,tsx}", "a.tsx", true],
    ["{src,lib}/{a,b}/**", "lib/b/c.ts", true],
    ["a{,x}.ts", "a.ts", true],
    ["{a}.ts", "{a}.ts", true],
    ["{a,b", "{a,b", true],
    ["../other/**", "other/a.ts", false],
    ["#comment", "#comment", false],
    ["README.md", "readme.md", true],
  ])("%s on %s: %s", (pattern, path, expected) => {
    expect(matches([pattern], path)).toBe(expected);
  });

  it("lets the last pattern decide", () => {
    const patterns = compilePatterns(["*.ts", "!*.d.ts", "types/keep.d.ts"]);
    expect(matchPatterns(patterns, "types/a.ts")).toEqual({ matched: true, by: "*.ts" });
    expect(matchPatterns(patterns, "types/a.d.ts")).toEqual({ matched: false, excludedBy: "!*.d.ts" });
    expect(matchPatterns(patterns, "types/keep.d.ts")).toEqual({ matched: true, by: "types/keep.d.ts" });
  });

  it("says which exclusion is in vain, as nothing below a directory that matches can be left out", () => {
    expect(matchPatterns(compilePatterns(["src/**", "!src/gen/**"]), "src/gen/a.ts")).toEqual({
      matched: true,
      by: "src/**",
      without: "!src/gen/**",
    });
    expect(matches(["**/*.ts", "!src/gen/**"], "src/gen/a.ts")).toBe(false);
  });

  it("names what it refuses", () => {
    const many = "{a,b}".repeat(30);
    const { problems } = compilePatterns([many, "[a", "../x", "ok", "x".repeat(3000)]);
    expect(problems).toEqual([
      `pattern "${many.slice(0, 80)}…" makes more than 1000 alternatives: refused`,
      'pattern "[a" can match nothing: its bracket is never closed',
      'pattern "../x" leaves its directory: it can match nothing',
      `pattern "${"x".repeat(80)}…" is longer than 2000 characters: refused`,
    ]);
  });

  // Pieces that mean something, so that random ones meet.
  const piece = fc.constantFrom(
    ..."a b A B é . - ab src .ts * * ** ? [ab] [!a] [a-c] [^b-] [[:alpha:]] [[:x:]] [b-a] []a] [ \\* \\[ \\a \\\\ ( | + $ ^".split(
      " ",
    ),
  );
  const name = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
  const segment = fc.oneof(name, name, fc.constant("**"), fc.constant("*"));
  const pattern = fc
    .tuple(
      fc.constantFrom("", "", "!", "/"),
      fc.array(segment, { minLength: 1, maxLength: 5 }),
      fc.constantFrom("", "", "/"),
    )
    .map(([start, segments, end]) => start + segments.join("/") + end)
    // On purpose not the same: a leading `./` matches nothing there.
    .filter((text) => !/^!?\.\//u.test(text));
  const file = fc.array(
    fc.constantFrom(
      "a",
      "b",
      "ab",
      "A",
      "c",
      "é",
      "É",
      "src",
      ".ts",
      "a.ts",
      "*",
      "[",
      "a-",
      "]",
      "(",
      "+b",
      "^",
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  );

  it("agrees with the ignore package", () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 4 }), file, (patterns, names) => {
        const path = names.join("/");
        return matches(patterns, path) === ignore().add(patterns).ignores(path);
      }),
      runs(10_000),
    );
  });

  it("agrees with it about directories, exclusions and exact case", () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { minLength: 1, maxLength: 4 }),
        file,
        fc.boolean(),
        fc.boolean(),
        (patterns, names, isDirectory, exactCase) => {
          const globs = patterns.flatMap((one) => compileGlob(one, one, { exactCase }) ?? []);
          const path = names.join("/");
          const own = exactCase ? names : namesOf(path);
          const match = matchGlobs(globs, own, { steps: Number.POSITIVE_INFINITY }, isDirectory);
          const other = ignore({ ignorecase: !exactCase }).add(patterns);
          return match.matched === other.test(isDirectory ? `${path}/` : path).ignored;
        },
      ),
      runs(10_000),
    );
  });

  it("agrees with a plain recursive expansion of braces", () => {
    const text = fc
      .array(fc.constantFrom("{", "}", ",", "a", "b"), { maxLength: 12 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (braces) => {
        expect(expandBraces(braces, 100_000, 1e9)).toEqual(slowly(braces));
      }),
      runs(5000),
    );
  });
});

/** The first group that closes and holds a comma of its own is taken apart, then the rest. */
function slowly(text: string): string[] {
  for (let start = 0; start < text.length; start++) {
    if (text[start] !== "{") continue;
    let depth = 0;
    const commas = [start];
    for (let end = start; end < text.length; end++) {
      if (text[end] === "{") depth++;
      if (text[end] === "," && depth === 1) commas.push(end);
      if (text[end] === "}" && --depth === 0) {
        if (commas.length === 1) break;
        commas.push(end);
        const before = text.slice(0, start);
        const after = slowly(text.slice(end + 1));
        return commas
          .slice(1)
          .flatMap((comma, index) => slowly(text.slice((commas[index] as number) + 1, comma)))
          .flatMap((middle) => after.map((rest) => before + middle + rest));
      }
    }
  }
  return [text];
}
