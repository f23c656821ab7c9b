import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../../../test/support/runs.ts";
import { changeSnippet } from "./snippet.ts";

/** Lines `line 1`, `line 2`, …, some of them replaced by others, or by none. */
function file(count: number, changes: Record<number, string | string[]> = {}): string {
  const lines = Array.from({ length: count }, (_, index) => changes[index + 1] ?? `line ${index + 1}`);
  return lines
    .flat()
    .map((line) => `${line}\n`)
    .join("");
}

test("AC-24 a changed line stands under the old one, with three lines of context and numbers", () => {
  expect(changeSnippet(file(100), file(100, { 42: "new" }))).toEqual({
    snippet: [
      "  39   line 39",
      "  40   line 40",
      "  41   line 41",
      "  42 - line 42",
      "  42 + new",
      "  43   line 43",
      "  44   line 44",
      "  45   line 45",
    ].join("\n"),
    added: 1,
    removed: 1,
    kind: "edit",
  });
});

test("AC-24 hunks are parted by …; old lines carry old numbers, all others new ones", () => {
  const { snippet } = changeSnippet(file(100), file(100, { 5: ["one", "two", "three"], 12: [], 60: "new" }));
  expect(`\n${snippet}\n`).toMatchInlineSnapshot(`
    "
       2   line 2
       3   line 3
       4   line 4
       5 - line 5
       5 + one
       6 + two
       7 + three
       8   line 6
       9   line 7
      10   line 8
      11   line 9
      12   line 10
      13   line 11
      12 - line 12
      14   line 13
      15   line 14
      16   line 15
    …
      58   line 57
      59   line 58
      60   line 59
      60 - line 60
      61 + new
      62   line 61
      63   line 62
      64   line 63
    "
  `);
});

test("AC-24 hunks whose context would meet are one", () => {
  const { snippet } = changeSnippet(file(100), file(100, { 10: "new", 17: "new" }));
  expect(snippet).not.toContain("…");
  const apart = changeSnippet(file(100), file(100, { 10: "new", 18: "new" }));
  expect(apart.snippet.split("\n").filter((line) => line === "…")).toHaveLength(1);
});

test("AC-24 numbers stand in a column of four, or as wide as the widest", () => {
  const { snippet } = changeSnippet(file(12_000), file(12_000, { 9999: "new" }));
  expect(`\n${snippet}\n`).toMatchInlineSnapshot(`
    "
     9996   line 9996
     9997   line 9997
     9998   line 9998
     9999 - line 9999
     9999 + new
    10000   line 10000
    10001   line 10001
    10002   line 10002
    "
  `);
});

test("AC-24 the first and the last line", () => {
  const { snippet } = changeSnippet(file(9), file(9, { 1: "new", 9: ["line 9", "line 10"] }));
  expect(`\n${snippet}\n`).toMatchInlineSnapshot(`
    "
       1 - line 1
       1 + new
       2   line 2
       3   line 3
       4   line 4
    …
       7   line 7
       8   line 8
       9   line 9
      10 + line 10
    "
  `);
});

test("AC-24 what does not fit is counted, with the lines to read", () => {
  const changes = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [index * 20 + 10, "new"]));
  const { snippet, added, removed } = changeSnippet(file(500), file(500, changes), { maxLines: 20 });
  expect(`\n${snippet}\n`).toMatchInlineSnapshot(`
    "
       7   line 7
       8   line 8
       9   line 9
      10 - line 10
      10 + new
      11   line 11
      12   line 12
      13   line 13
    …
      27   line 27
      28   line 28
      29   line 29
      30 - line 30
      30 + new
      31   line 31
      32   line 32
      33   line 33
    … 36 more changed lines (18 added, 18 removed): read lines 50-390.
    "
  `);
  expect({ added, removed }).toEqual({ added: 20, removed: 20 });
});

test("AC-24 a long removal makes room for what came instead", () => {
  const block = Array.from({ length: 40 }, (_, index) => `new ${index + 1}`);
  const gone = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [index + 11, []]));
  const { snippet } = changeSnippet(file(400), file(400, { ...gone, 10: block }), { maxLines: 16 });
  expect(`\n${snippet}\n`).toMatchInlineSnapshot(`
    "
       7   line 7
       8   line 8
       9   line 9
      10 - line 10
      11 - line 11
      12 - line 12
         - … 97 more removed lines
      10 + new 1
      11 + new 2
      12 + new 3
      13 + new 4
      14 + new 5
      15 + new 6
      16 + new 7
      17 + new 8
      18 + new 9
    … 31 more added lines: read lines 19-49.
    "
  `);
});

test("AC-24 sixty lines unless told otherwise", () => {
  const { snippet } = changeSnippet("", file(100));
  expect(snippet.split("\n")).toHaveLength(61);
  expect(snippet.split("\n").at(-1)).toBe("… 40 more added lines: read lines 61-100.");
});

test.each([
  ["a new text", "", "one\ntwo", "   1 + one\n   2 + two"],
  ["an emptied one", "one\ntwo\n", "", "The file is empty now; it had 2 lines."],
  ["a blank line less at the end", "one\n\n", "one\n", "   1   one\n   2 - "],
  [
    "no newline at the end any more",
    "one\ntwo\n",
    "one\ntwo",
    "Only the newline at the end of the file was removed.",
  ],
  ["a newline at the end now", "one", "one\n", "Only the newline at the end of the file was added."],
  ["CRLF now", "one\ntwo\n", "one\r\ntwo\r\n", "Only line endings changed: LF before, CRLF now."],
  ["LF now", "one\r\ntwo\r\n", "one\ntwo\n", "Only line endings changed: CRLF before, LF now."],
  ["CR before", "one\rtwo\r", "one\ntwo\n", "Only line endings changed: CR before, LF now."],
  [
    "one ending of three",
    "one\ntwo\nthree\n",
    "one\ntwo\r\nthree\n",
    "Only line endings changed on 1 of 3 lines: LF before, mixed now.",
  ],
  [
    "CRLF now, and no newline at the end",
    "one\ntwo\n",
    "one\r\ntwo",
    "Only line endings changed on 1 of 2 lines: LF before, CRLF now. The newline at the end of the file was removed.",
  ],
  [
    "an edit and CRLF now",
    "one\ntwo\nthree\n",
    "one\r\n2\r\nthree\r\n",
    "   1   one\n   2 - two\n   2 + 2\n   3   three\nLine endings changed on 2 more lines: LF before, CRLF now.",
  ],
  [
    "an edit, and no newline at the end any more",
    "one\ntwo\n",
    "1\ntwo",
    "   1 - one\n   1 + 1\n   2   two\nThe newline at the end of the file was removed.",
  ],
  ["nothing", "one\n", "one\n", ""],
])("AC-24 %s", (_, before, after, snippet) => {
  expect(changeSnippet(before, after).snippet).toBe(snippet);
});

test("AC-24 a rewritten file gets a summary", () => {
  expect(changeSnippet(file(1000), file(900).replaceAll("line", "row"))).toEqual({
    snippet:
      "The file was rewritten: next to nothing of the old text is left. It had 1000 lines and has 900 lines now.",
    added: 900,
    removed: 1000,
    kind: "rewritten",
  });
});

test("AC-24 a minified file gets the place where it differs", () => {
  const before = `${"var a=1;".repeat(5000)}\n`;
  const after = `${"var a=1;".repeat(2000)}var b=2;${"var a=1;".repeat(2999)}\n`;
  const { snippet, kind } = changeSnippet(before, after);
  const [headline, old, now, ...rest] = snippet.split("\n");
  expect(kind).toBe("one-line");
  expect(headline).toBe(
    "Line 1 is very long (40000 characters before, 40000 now) and differs from character 16005 on:",
  );
  expect(old).toMatch(/^ {3}1 - ….{200}…$/u);
  expect(now).toMatch(/^ {3}1 \+ ….{200}…$/u);
  expect(now).toContain("var b=2;");
  expect(rest).toEqual([]);
});

test("AC-24 a file that was minified, or made readable again, is rewritten", () => {
  const readable = file(2000);
  const minified = readable.replaceAll("\n", ";");
  expect(changeSnippet(readable, minified).kind).toBe("rewritten");
  expect(changeSnippet(minified, readable).kind).toBe("rewritten");
});

test("AC-24 a long line is cut around the place where it differs, and never inside a character", () => {
  const long = (middle: string) => `${"😀".repeat(200)}${middle}${"😀".repeat(200)}`;
  const { snippet, kind } = changeSnippet(file(9, { 5: long("old") }), file(9, { 5: long("new") }));
  expect(kind).toBe("edit");
  expect(snippet.isWellFormed()).toBe(true);
  expect(snippet).toMatch(/^ {3}5 - …(?:😀)+old(?:😀)+…$/mu);
  expect(snippet).toMatch(/^ {3}5 \+ …(?:😀)+new(?:😀)+…$/mu);
  expect(Math.max(...snippet.split("\n").map((line) => line.length))).toBeLessThan(420);
});

const word = fc.constantFrom("a", "b", "c", "", "  x", "}", "… 3", "- a", "+ b");
const content = fc.array(word, { maxLength: 60 }).map((lines) => lines.map((line) => `${line}\n`).join(""));

test("AC-24 every line that is shown stands in its file under its number", () => {
  fc.assert(
    fc.property(content, content, fc.integer({ min: 1, max: 70 }), (before, after, maxLines) => {
      const { snippet, added, removed, kind } = changeSnippet(before, after, { maxLines });
      if (kind !== "edit") return;
      const [old, now] = [before.split("\n"), after.split("\n")];
      const shown = { "+": 0, "-": 0, " ": 0 };
      const rows = snippet.split("\n");
      const left =
        /^… (?<count>\d+) more .* lines?(?: \(.*\))?: read lines? (?<first>\d+)(?:-(?<last>\d+))?\.$/u.exec(
          rows.at(-1) ?? "",
        )?.groups;
      if (left !== undefined) rows.pop();
      expect(rows.length).toBeLessThanOrEqual(maxLines);
      for (const row of rows) {
        if (row === "…") continue;
        const more = /^ {4} - … (?<count>\d+) more removed lines$/u.exec(row)?.groups;
        if (more !== undefined) {
          shown["-"] += Number(more.count);
          continue;
        }
        const { number, sign, text } =
          /^ *(?<number>\d+) (?<sign>[-+ ]) (?<text>.*)$/u.exec(row)?.groups ?? {};
        expect(text).toBe((sign === "-" ? old : now)[Number(number) - 1]);
        shown[sign as "+" | "-" | " "]++;
      }
      expect(shown["+"] + shown["-"] + Number(left?.count ?? 0)).toBe(added + removed);
      expect(added + removed).toBeGreaterThan(0);
      expect(added - removed).toBe(now.length - old.length);
      if (left === undefined) return;
      expect(Number(left.first)).toBeGreaterThan(0);
      expect(Number(left.last ?? left.first)).toBeGreaterThanOrEqual(Number(left.first));
      expect(Number(left.last ?? left.first)).toBeLessThan(now.length);
    }),
    runs(700),
  );
});

test.each([
  ["\r\r\n", "\r"],
  ["a\r\r\n", "a\r"],
])("%j and %j differ in their line endings, however few lines are shown", (before, after) => {
  const snippet = "Only line endings changed: CRLF before, CR now.";
  for (const maxLines of [0, 5])
    expect(changeSnippet(before, after, { maxLines })).toMatchObject({ snippet, kind: "line-endings" });
});

test.each([
  ["a\u000bb\n", "a\u000cb\n", ["a␋b", "a␌b"]],
  ["a\n", "a\u007f\u0085\u{e0041}\n", ["a", "a␡[U+0085][U+E0041]"]],
  ["\u001b[31mred\n", "\u001b[32mred\n", ["␛[31mred", "␛[32mred"]],
  ["\u001b[31mred\n", "\u001b[32mblue\n", ["\u001b[31mred", "\u001b[32mblue"]],
  ["x\r\n1\r", "x\r\n2\r", ["1␍", "2␍"]],
  [
    `${"x".repeat(3000)}\u000bb`,
    `${"x".repeat(3000)}\u000cb`,
    [`…${"x".repeat(198)}␋b`, `…${"x".repeat(198)}␌b`],
  ],
])("%j and %j show what sets them apart", (before, after, [old, now] = []) => {
  const { snippet } = changeSnippet(before, after);
  const rows = snippet.split("\n").flatMap((line) => /^ *\d+ [-+] (.*)$/su.exec(line)?.[1] ?? []);
  expect(rows).toEqual([old, now]);
});

test("it never throws, and only equal texts give nothing", () => {
  const any = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc
      .array(fc.constantFrom("a", "\r", "\n", "\r\n", "b", "\ud800"), { maxLength: 30 })
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(any, any, fc.integer({ min: 0, max: 5 }), (before, after, maxLines) => {
      expect(changeSnippet(before, after, { maxLines }).snippet === "").toBe(before === after);
    }),
    runs(2000),
  );
});
