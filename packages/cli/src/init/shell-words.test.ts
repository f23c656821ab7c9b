// Words for a shell: whatever a path holds, a shell and we ourselves read it back as one word.

import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, it } from "vitest";
import { shellQuote, shellWords } from "./choose-program.ts";

const word = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((text) => !text.includes("\0"));

it("what is quoted is read back", () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      expect(shellWords(words.map(shellQuote).join(" "))).toEqual(words);
    }),
  );
});

it("a real shell reads the same", () => {
  const words = ["/a b/c", "it's", '"x"', "$HOME", "a;b", "`id`", "tab\there", "ü", "plain-1.2/x"];
  const line = words.map(shellQuote).join(" ");
  const out = execFileSync("/bin/sh", ["-c", `for w in ${line}; do printf '%s\\n' "$w"; done`], {
    encoding: "utf8",
  });
  expect(out).toBe(`${words.join("\n")}\n`);
});

it("reads quotes inside a word, and leaves variables alone", () => {
  expect(shellWords('"$CLAUDE_PROJECT_DIR"/node_modules/.bin/sotto hook  x\\ y')).toEqual([
    "$CLAUDE_PROJECT_DIR/node_modules/.bin/sotto",
    "hook",
    "x y",
  ]);
});
