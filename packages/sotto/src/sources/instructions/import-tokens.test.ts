import { describe, expect, it } from "vitest";
import { importsIn } from "./imports.ts";

describe("imports in a text", () => {
  it.each<[string, string[]]>([
    ["Some @./a.txt more", ["./a.txt"]],
    ["@a\r\n@b\r\nend", ["a", "b"]],
    ["@a.md @a.md", ["a.md"]],
    ["me@example.org (@no) \\@no", []],
    ["@https://example.org/a.md @file:///etc/x @a:b", ["a:b"]],
    ["@ @@ @! @# @- @a.md @@b.md", ["a.md", "@b.md"]],
    ["@me\\ too.md @C:\\x", ["me too.md", "C:\\x"]],
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
