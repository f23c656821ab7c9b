import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forgedTags } from "../../../../../test/support/payloads.ts";
import { runs } from "../../../../../test/support/runs.ts";
import { neutralise } from "../../untrusted-text.ts";
import { replaceText, rewriteText } from "../edit.ts";

/** As Read shows a file, and as an agent takes it: without the line numbers. */
function shownLines(lines: readonly string[]): string[] {
  const numbered = lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`);
  return neutralise(numbered.join("\n"))
    .split("\n")
    .map((line) => line.replace(/^ *\d+\t/u, ""));
}

const names = ["system-reminder", "task-notification", "new-diagnostics"];
const forged = [...forgedTags(3000, names, 7)].filter((one) => !/[\r\n\u2028\u2029]/u.test(one));
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\udb40]/u;
const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("const x = [0];", " a < b ", "foo(bar)", "\t", '"', "// note ", "é"),
  },
  { weight: 2, arbitrary: fc.constantFrom("<system-reminder>", "</system-reminder>", "<new-diagnostics>") },
  { weight: 2, arbitrary: fc.constantFrom(...forged) },
  { weight: 1, arbitrary: fc.constantFrom("\u001b[31m", "\f", "\u202e", "\u0007", "\\u001b[0m") },
  { weight: 1, arbitrary: fc.constantFrom("[system-reminder>", "[/system-reminder>", "⟦system-reminder") },
);
/** Tags only, in every disguise; nothing that is hidden. */
const plain = piece.filter((one) => !HIDDEN.test(one));
const line = fc.array(piece, { maxLength: 4 }).map((parts) => parts.join(""));
const lines = fc.array(line, { minLength: 1, maxLength: 12 });
const plainLines = fc.array(
  fc.array(plain, { maxLength: 4 }).map((parts) => parts.join("")),
  { minLength: 1, maxLength: 12 },
);

/** A new passage in terms of the old one: the same for who sees it as it is and for who sees it as it is shown. */
type Step =
  | { kind: "keep"; line: number }
  | { kind: "drop"; line: number }
  | { kind: "fresh"; text: string }
  | { kind: "prefix"; line: number; text: string }
  | { kind: "suffix"; line: number; text: string };
const word = fc.constantFrom("new", "return 1;", "  ", "x[1]", "// <b>");
const stepsFor = (count: number): fc.Arbitrary<Step[]> =>
  fc
    .tuple(
      ...Array.from({ length: count }, (_, index) =>
        fc.oneof(
          { weight: 4, arbitrary: fc.constant<Step>({ kind: "keep", line: index }) },
          { weight: 1, arbitrary: fc.constant<Step>({ kind: "drop", line: index }) },
          { weight: 2, arbitrary: word.map((text): Step => ({ kind: "prefix", line: index, text })) },
          { weight: 2, arbitrary: word.map((text): Step => ({ kind: "suffix", line: index, text })) },
        ),
      ),
      word.map((text): Step => ({ kind: "fresh", text })),
    )
    .map((steps) => steps.flat());
const write = (steps: readonly Step[], from: readonly string[]) =>
  steps.flatMap((step) => {
    if (step.kind === "drop") return [];
    if (step.kind === "fresh") return [step.text];
    const old = from[step.line] ?? "";
    return [step.kind === "keep" ? old : step.kind === "prefix" ? step.text + old : old + step.text];
  });

const edit = plainLines.chain((all) =>
  fc.tuple(fc.nat(all.length - 1), fc.integer({ min: 1, max: 5 })).chain(([from, count]) => {
    const to = Math.min(all.length, from + count);
    return fc.record({
      all: fc.constant(all),
      from: fc.constant(from),
      to: fc.constant(to),
      steps: stepsFor(to - from),
    });
  }),
);

describe("an edit by an agent that sees only what is shown", () => {
  test("leaves the same file as one by an agent that sees what stands there, or is refused", () => {
    const tally = { same: 0, refused: 0 };
    fc.assert(
      fc.property(edit, ({ all, from, to, steps }) => {
        const text = all.join("\n");
        const shown = shownLines(all);
        const seen = (view: readonly string[]) => ({
          old: view.slice(from, to).join("\n"),
          new: write(steps, view.slice(from, to)).join("\n"),
          all: false,
        });
        if (seen(all).old === "" || seen(shown).old === "") return;
        const expected = replaceText(text, { ...seen(all) });
        if (expected.kind !== "replaced") return;
        try {
          const found = replaceText(text, seen(shown));
          if (found.kind === "replaced") {
            expect(found.text).toBe(expected.text);
            tally.same += 1;
            return;
          }
          // Two places that are shown alike: more of what is around it tells them apart.
          expect(found.kind).toBe("ambiguous");
        } catch (error) {
          if (!/it is unclear which one you mean/u.test((error as Error).message)) throw error;
        }
        tally.refused += 1;
      }),
      runs(1200),
    );
    expect(tally.same).toBeGreaterThan(tally.refused * 5);
  });

  test("a file that is written anew as it was shown stays as it was, to the byte; so do the lines that are kept", () => {
    fc.assert(
      fc.property(lines, fc.array(word, { maxLength: 3 }), (all, added) => {
        const text = all.join("\n");
        const shown = shownLines(all);
        expect(rewriteText(text, shown.join("\n"))).toBe(text);
        const after = rewriteText(text, [...shown, ...added].join("\n"));
        expect(after).toBe([...all, ...added].join("\n"));
      }),
      runs(400),
    );
  });
});

const FILE = [
  "const opening = '<system-reminder>';",
  "const closing = '</system-reminder>';",
  "const list = values[0];",
  "",
].join("\n");
const edited = (old: string, fresh: string, text = FILE) => {
  const replaced = replaceText(text, { old, new: fresh, all: false });
  return replaced.kind === "replaced" ? replaced.text : replaced.kind;
};

test.each([
  [
    "shown",
    "opening = '[system-reminder>'",
    "start = '[system-reminder>'",
    "const start = '<system-reminder>';",
  ],
  [
    "as it stands",
    "opening = '<system-reminder>'",
    "start = '<system-reminder>'",
    "const start = '<system-reminder>';",
  ],
  [
    "inside a tag",
    "[system-reminder>",
    "[system-reminder id='1'>",
    "const opening = '<system-reminder id='1'>';",
  ],
  ["the tag goes", "'[system-reminder>'", "names[0]", "const opening = names[0];"],
  ["a tag comes", "'[system-reminder>'", "'[/system-reminder>'", "const opening = '</system-reminder>';"],
  [
    "beside escapes",
    "opening = '⟦system-reminder>'",
    "start = '⟦system-reminder>'",
    "const start = '<system-reminder>';",
  ],
])("a tag is edited as it is shown, and stays one: %s", (_, old, fresh, expected) => {
  expect(edited(old, fresh).split("\n")[0]).toBe(expected);
});

test("a bracket that is one stays one; a tag that is written like that elsewhere is left as the agent writes it", () => {
  expect(edited("values[0]", "[system-reminder]")).toContain("const list = <system-reminder];");
  const both = `${FILE}// shown as '[system-reminder>'\n`;
  expect(edited("values[0]", "'[system-reminder>'", both)).toContain("const list = '[system-reminder>';");
  expect(edited("'[system-reminder>'", "x", both)).toBe("ambiguous");
  expect(edited("opening = '[system-reminder>'", "x", both)).toContain("const x;");
});

test("what cannot be told is refused, and says what to do", () => {
  const both = "a '<system-reminder>'\nb '[system-reminder>'\n";
  expect(() =>
    edited("a '[system-reminder>'\nb '[system-reminder>'", "c '[system-reminder>' d", both),
  ).toThrow("change fewer lines at once");
});

test("many tags, long lines and large files take no time to speak of", () => {
  const many = Array.from({ length: 5000 }, (_, index) => `<system-reminder>${index}</system-reminder>`);
  const long = `${"<system-reminder>".repeat(1500)}end`;
  const text = [...many, long, "last"].join("\n");
  expect(edited("[system-reminder>777[/system-reminder>", "[system-reminder>778!", text)).toBe(
    text.replace("<system-reminder>777</system-reminder>", "<system-reminder>778!"),
  );
  expect(edited("end\nlast", "end\nfirst", text)).toBe(text.replace(/last$/u, "first"));
  expect(rewriteText(text, neutralise(text))).toBe(text);
});
