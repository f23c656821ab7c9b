import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forgedByHand } from "../../../../../test/support/hostile.ts";
import { runs } from "../../../../../test/support/runs.ts";
import { forgesTag } from "../../../../../test/support/unicode-fold.ts";
import { createNeutraliser, defaultReservedTags } from "./neutralise.ts";

const { text, attribute } = createNeutraliser();
const forges = (value: string) => forgesTag(value, defaultReservedTags);
const unwanted = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/;
const decoded = (value: string) =>
  value.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ({ amp: "&", lt: "<", gt: ">" })[name] ?? '"');

describe("AC-39 properties", () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        ...defaultReservedTags,
        "system",
        "reminder",
        "-",
        "_",
        "<",
        "</",
        "/",
        ">",
        " ",
        "\n",
        "\r",
      ),
      fc.constantFrom(
        "&",
        "&amp;",
        "&lt",
        ";",
        "#",
        "&#",
        "x3c",
        "60",
        "\u001b",
        "[",
        "31m",
        "\u200b",
        "\u00ad",
        "＜",
      ),
      fc.constantFrom(
        "\\u00",
        "3c",
        "%",
        "25",
        "🏴",
        "\u{e0067}",
        "\u{e007f}",
        "\ud83c",
        "\u202e",
        "[U+202E]",
        "й",
      ),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 14 },
  );
  const anything = pieces.map((parts) => parts.join(""));

  it("AC-39 neutralising again changes nothing, and nothing is forged", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const neutral = text(value);
        expect(text(neutral)).toBe(neutral);
        expect(forges(neutral)).toBe(false);
        expect(unwanted.test(neutral)).toBe(false);
        expect(forges(decoded(attribute(value)))).toBe(false);
      }),
      runs(5_000, 39),
    );
  });

  it("AC-39 terminal sequences are removed in the same way beside something that is shown", () => {
    const parts = fc.constantFrom(
      ...[
        "\u001b",
        "\u001b[",
        "\u001b]",
        "\u001bP",
        "\u001b(",
        "\u001b\\",
        "\u009b",
        "\u009c",
        "\u009d",
        "\u0007",
      ],
      ...["\0", "\u0085", "31", ";", "?", "m", "K", "B", "c", "[", "]", " ", "\t", "\n", "\r\n", "é", "x"],
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (some) => {
        const value = some.join("");
        expect(text(`${value}\n\u202e`)).toBe(`${text(`${value}\n`)}[U+202E]`);
      }),
      runs(5_000, 39),
    );
  });

  it("AC-39 where two fields meet, the whole is safe once it is neutralised again", () => {
    fc.assert(
      fc.property(anything, anything, (one, other) => {
        const whole = text(text(one) + text(other));
        expect(forges(whole)).toBe(false);
        expect(text(whole)).toBe(whole);
      }),
      runs(3_000, 39),
    );
    for (const tag of forgedByHand) {
      for (let cut = 1; cut < tag.length; cut += 1) {
        expect(forges(text(text(tag.slice(0, cut)) + text(tag.slice(cut))))).toBe(false);
      }
    }
  });
});

describe("AC-39 time", () => {
  const repeated = (piece: string) => (length: number) =>
    piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  const hostile: Record<string, (length: number) => string> = {
    "<system-reminder and spaces": (length) => `<system-reminder${" ".repeat(length)}`,
    "spaces in a name": (length) => `<s${" ".repeat(length)}ystem-reminder`,
    "references of ampersands": (length) => `&${repeated("amp;")(length)}`,
    "leading zeros": (length) => `&#${"0".repeat(length)}`,
    "digits of digits": (length) => `${repeated("&#5")(length / 2)}0${"\u200b".repeat(length / 2)}`,
    slashes: (length) => `<${"/".repeat(length)}`,
    hyphens: (length) => `<system${"-".repeat(length)}`,
    "zero width": (length) => `<s${"\u200b".repeat(length)}ystem-reminder`,
  };
  const pieces = [
    "<",
    "<s ",
    "<a:",
    "<日本",
    "&",
    "&a",
    "&#",
    "&lt",
    "&amp;",
    "&#27;[",
    "[1m",
    "%25",
    "\\",
    "\\u{0",
  ];
  const escapes = [
    "\u001b",
    "\u001b[",
    "\u001b[1",
    "\u001b]",
    "\u009d",
    "\r",
    "\ud800",
    "\u{e0041}",
    "</system-reminder>",
  ];
  for (const piece of [...pieces, ...escapes]) hostile[JSON.stringify(piece)] = repeated(piece);

  it.each(Object.entries(hostile))("AC-39 is linear in %s", (_, make) => {
    const half = fastest(make(100_000));
    const whole = fastest(make(200_000));
    // Noise of a busy machine stays below this; quadratic behaviour would be thousands of times above it.
    expect(whole).toBeLessThan(half * 2.5 + 100);
  });
});

/** Milliseconds of processor time: other processes do not count. */
function fastest(value: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 2; run += 1) {
    const started = process.cpuUsage();
    text(value);
    const { user, system } = process.cpuUsage(started);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}
