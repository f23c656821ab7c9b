import { type Node, Parser } from "commonmark";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startEffort } from "../../../../../test/support/effort.ts";
import { runs } from "../../../../../test/support/runs.ts";
import { runningText } from "./running-text.ts";

/** The words with an `@` that CommonMark's reference parser has in running text. */
function expectedWords(document: string): string[] {
  const blocks: string[] = [];
  const walker = new Parser().parse(document).walker();
  for (let step = walker.next(); step !== null; step = walker.next()) {
    const { type, literal } = step.node;
    if (type === "paragraph" || type === "heading") blocks.push("");
    else if (type === "html_block") blocks.push(withoutComments(literal ?? ""));
    else if (type !== "code_block") blocks.push(`${blocks.pop() ?? ""}${inlineText(step.node)}`);
  }
  return wordsIn(blocks);
}

function inlineText({ type, literal }: Node): string {
  if (type === "softbreak" || type === "linebreak") return "\n";
  if (type === "code") return "`";
  if (type === "html_inline") return withoutComments(literal ?? "");
  return type === "text" ? (literal ?? "") : "";
}

function withoutComments(html: string): string {
  return html.replace(/<!--(?:-?>|.*?-->)/gsu, "");
}

function wordsIn(blocks: readonly string[]): string[] {
  return blocks.flatMap((block) => [...block.matchAll(/(?<=^|\s)@\w+/gu)].map(String));
}

const PREFIXES = [
  "",
  "- ",
  "-",
  "* ",
  "-   ",
  "-     ",
  "-\t",
  "1. ",
  "2) ",
  "12. ",
  "> ",
  ">",
  "  ",
  "   ",
  "    ",
  "      ",
  "\t",
  "# ",
];
const LINES = [
  "",
  "",
  "```",
  "````",
  "~~~",
  "~~~ x`y",
  "```js",
  "``` a`b",
  "---",
  "***",
  "===",
  "-",
  "#",
  "<div>",
  "</div> x",
  "<b>",
  "<pre>",
  "</pre>",
  "<!--",
  "-->",
];
const WORDS = [
  "`",
  "`",
  "``",
  "\\`",
  "\\\\`",
  "\\``",
  "it`s",
  "x",
  "| y",
  ">",
  "<!-- ` -->",
  "<!-- x",
  "-->",
  "@",
  "@",
  "@",
];

const content = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
      .map((words) => words.join(" ")),
  },
  { weight: 2, arbitrary: fc.constantFrom(...LINES) },
);
const prefix = fc.array(fc.constantFrom(...PREFIXES), { maxLength: 3 }).map((parts) => parts.join(""));
const documents = fc
  .array(fc.tuple(prefix, content), { minLength: 1, maxLength: 8 })
  .map((lines) => {
    let count = 0;
    return lines
      .map((line) => line.join("").replace(/(?<=^|\s)@(?=\s|$)/gu, () => `@w${count++}`))
      .join("\n");
  })
  // A comment that is never closed: text for us, a block for CommonMark.
  .filter((document) => document.lastIndexOf("<!--") <= document.lastIndexOf("-->"));

const pieces = fc.array(
  fc.constantFrom(
    "`",
    "```",
    "~~~",
    "@a ",
    "<!--",
    "-->",
    "\n",
    "\n\n",
    " ",
    "    ",
    "\t",
    "- ",
    "> ",
    "\\",
    "1. ",
    "x",
    "-",
    "|",
    ":",
    "=",
    "#",
    "*",
    "<a",
    "<div",
    '"',
    ">",
    "'",
  ),
  { maxLength: 4 },
);

describe("running text", () => {
  it("is what CommonMark says", () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(wordsIn(runningText(document))).toEqual(expectedWords(document));
      }),
      runs(60_000),
    );
  });

  it.each<[string, string[]]>([
    ["it`s @a\n| it`s |\n|---|\n| @b don`t |\n@c it`s\n\n@d it`s", ["@a", "@b", "@c", "@d"]],
    ["a | it`s @a | don`t @b\n:-- | --- | --:\n`c @c | d` | `@d`", ["@a", "@b", "@c"]],
    ["a | it`s \\| @a don`t\n-|-\n@b", ["@b"]],
    ["| a | it`s\n|---|\n@a it`s", []],
    ["| a |\n|---|\n- it`s @a\n@b it`s", []],
    ["| a |\n|---|\n> it`s @a\n\nit`s @b", ["@a", "@b"]],
    ["| a |\n|---|\n```\n@a\n```\n    @b", []],
    ["> | it`s |\n> |---|\n| @a it`s", ["@a"]],
    ["it`s <!-- a\n\n@a --> don`t", ["@a"]],
    ["<!-- ` -->\n@a ` @b", ["@a", "@b"]],
    ["<!-- a\n\n@a --> @b it`s\n@c it`s", ["@b", "@c"]],
    ["<!-- @a\n\n@b", ["@a", "@b"]],
    ["<!-- @a\n```\n@b\n```\n@c", ["@a", "@c"]],
    ["it`s <!--> @a -->", ["@a"]],
    ["-\n\n    @a\n- x\n\n    @b", ["@b"]],
    ["```\n    ```\n@a\n   ```\n@b", ["@b"]],
    ["it`s\r@a\r\r@b it`s\r\n# it`s\r\n@c it`s", ["@a", "@b", "@c"]],
  ])("of %j: %j", (document, expected) => {
    expect(wordsIn(runningText(document))).toEqual(expected);
  });

  it("takes time in proportion to the text", () => {
    fc.assert(
      fc.property(pieces, pieces, pieces, (head, repeated, tail) => {
        const middle = repeated.join("");
        const text = `${head.join("")}${middle.repeat(20_000 / (middle.length || 1))}${tail.join("")}`;
        const effort = startEffort();
        runningText(text);
        // A few milliseconds; what is quadratic takes seconds.
        expect(effort()).toBeLessThan(500);
      }),
      runs(2000),
    );
  });
});
