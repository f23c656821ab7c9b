import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { parseMentions } from "../mentions/parse-mentions.ts";
import type { Look } from "./cache.ts";
import { expandImports, freshAllowance, importsIn } from "./imports.ts";
import type { Signature } from "./types.ts";

describe("imports in a text", () => {
  it.each<[string, string[]]>([
    ["Some @./a.txt more", ["./a.txt"]],
    ["@a\r\n@b\r\nend", ["a", "b"]],
    ["@a.md @a.md", ["a.md"]],
    ["me@example.org (@no) \\@no", []],
    ["@https://example.org/a.md @file:///etc/x @a:b", ["a:b"]],
    ["@ @@ @! @# @- @a.md @@b.md", ["a.md", "@b.md"]],
    ["@me\\ too.md @C:\\x", ["me\\ too.md", "C:\\x"]],
    ["使用 @./valid.md 文件和\u3000@中文路径", ["./valid.md", "中文路径"]],
    ["`@no` ``@no ` @no`` @yes", ["yes"]],
    ["`over\ntwo lines @no` @yes", ["yes"]],
    ["a lone ` @yes\n\nand another ` @too", ["yes", "too"]],
    ["\\` @yes `", ["yes"]],
    ["```js\n@no\n```\n@yes", ["yes"]],
    ["````\n@no\n```\n@no\n````\n@yes", ["yes"]],
    ["~~~\n@no\n```\n~~~\n@yes", ["yes"]],
    ["``` not`a fence\n@yes", ["yes"]],
    ["@yes\n```\n@no, never closed", ["yes"]],
    ["> ```\n> @no\n> ```\n> @yes", ["yes"]],
    ["1. one\n   ```\n   @no\n   ```\n   @yes", ["yes"]],
    ["@a\n\n    @no\n\n\t@no\n\n@b", ["a", "b"]],
    ["text\n    @yes, a paragraph goes on", ["yes,"]],
    ["- item\n\n    @yes, still the item\n\n          @no", ["yes,"]],
    ["<!-- @no --> @yes <!-- @no -->", ["yes"]],
    ["<!--\n@no\n\n@no\n-->\n@yes", ["yes"]],
    ["<!-- @yes, never closed", ["yes,"]],
    ["`<!--` @yes", ["yes"]],
    ["- it`s @a\n- don`t @b", ["a", "b"]],
    ["# it`s @a\n@b don`t", ["a", "b"]],
    ["> it`s @a\n\n@b don`t", ["a", "b"]],
  ])("%j: %j", (text, expected) => {
    expect(importsIn(text)).toEqual(expected);
  });
});

describe("where an import ends", () => {
  const names = ["a.md", "b(1).md", "b", "c[2]", "end.", "what?", "x#y.md", "x", "my note.md", "日，本.md"];
  const escaped = names.map((name) => name.replaceAll(" ", "\\ "));
  const ends = [
    "",
    ".",
    ",",
    "...",
    "…",
    "。",
    "，",
    "，y",
    "）z",
    "」",
    "”",
    "’",
    "'",
    '"',
    "`",
    ")",
    "]",
    "?!",
    "》",
    "؟",
    "।",
    "#y",
    "»",
    "\\ ",
  ];
  const words = fc
    .tuple(fc.constantFrom(...escaped), fc.array(fc.constantFrom(...ends), { maxLength: 2 }))
    .map(([name, end]) => name + end.join(""));

  const mentioned = (word: string) => {
    const paths = parseMentions(`@${word}`, { servers: [], agents: [] }).flatMap((mention) =>
      mention.kind === "path" ? mention.candidates.map(({ path }) => path) : [],
    );
    return paths.find((path) => names.includes(path));
  };

  it("is where a mention ends", async () => {
    await fc.assert(
      fc.asyncProperty(words, async (word) => {
        const found = mentioned(word);
        if (found !== undefined) expect(await imported(`see @${word} it`, names)).toEqual([found]);
      }),
      runs(10_000),
    );
  });

  it.each([
    ["@a.md，y", ["a.md"]],
    ["@a.md…", ["a.md"]],
    ["@日，本.md", ["日，本.md"]],
    ["@日，本.md。", ["日，本.md"]],
    ["@b(1).md).", ["b(1).md"]],
    ["@what?", ["what?"]],
    ["@x#y.md @x#z.", ["x#y.md", "x"]],
    ["@x#y.md#y, @x#a#b#c", ["x#y.md", "x"]],
    ["@，a.md", []],
  ])("%j: %j", async (text, expected) => {
    expect(await imported(text, names)).toEqual(expected);
  });

  it("is found in front of a long text without spaces", async () => {
    expect(await imported(`@a.md，${"y".repeat(5000)}`, names)).toEqual(["a.md"]);
  });
});

async function imported(text: string, names: readonly string[]): Promise<string[]> {
  const files = new Set(names.map((name) => `/p/${name}`));
  const document = (path: string, content: string) => ({
    kind: "text" as const,
    text: content,
    realPath: path,
    hash: path,
    cut: false,
  });
  const look: Look = {
    dependencies: [],
    isSettled: true,
    doubt: () => undefined,
    signatures: async (paths) =>
      paths.map((path) => (files.has(path) ? ({ kind: "file" } as Signature) : undefined)),
    read: async (path) => document(path, "x"),
  };
  const { entries } = await expandImports(
    { path: "/p/AGENTS.md", document: document("/p/AGENTS.md", text), body: text },
    { look, project: ["/p"], home: "/h", allowExternal: false, depth: 2, allowance: freshAllowance() },
  );
  return entries.slice(1).map(({ path }) => path.slice("/p/".length));
}
