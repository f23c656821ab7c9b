import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forgedByHand, harmless } from "../../../../../test/support/hostile.ts";
import { forgedTags } from "../../../../../test/support/payloads.ts";
import { runs } from "../../../../../test/support/runs.ts";
import { createHarmlessTest } from "./harmless.ts";
import { knownTags } from "./markers.ts";
import { createNeutraliser, defaultReservedTags } from "./neutralise.ts";
import { namesOf } from "./tag-names.ts";

const isHarmless = createHarmlessTest(namesOf([...defaultReservedTags, ...knownTags]));
/** Short texts are read without the test. */
const { text } = createNeutraliser();
const filler = "Words, and more of them.\n".repeat(2_000);

/** Every character that something else than itself can be written with, and what such things consist of. */
// biome-ignore format: a table
const signs = [
  "<", "</", "<!", "<?", "< ", "＜", "«", "&", "&&", "&amp;", "&lt;", "&lt", "&gt;", "&quot;", "&nbsp;", "&shy;", "&copy;", "&Eacute;", "&ltilde;", "&ltcc;", "&le;", "&#60;", "&#x3c;",
  "&#039;", "&#38;", "&#139;", "&#", "amp;", "lt;", "gt;", "#60;", "x3c", "\\", "\\x3c", "\\x73", "\\u003c", "\\u0073", "\\74", "\\0", "\\[", "%", "%3c", "%20", "%25", "%26lt;", "[U+202E]",
  "\\U0000003c", "\\U", "\\-", "%u003c", "%u", "%e2%80%b9", "%EF", "%bc%9c", "%c3%a9", "\\u005c", "\\x5C", "u003c", "%5c", "&#92;", "&#37;", "&bsol;", "&percnt;", "3C", "&langd;", "&middot;",
  "[", "[31m", "\u001b", "\r", "\r\n", "\u200b", "\u00ad", "\u0301", "é", "日", "𝈶", "😀", "\u{e0073}", "\ud834", "$", ":", ";", "|", "-", "_", ".", "=", ">", "/>", "\"", " ", "\n", "1", "5",
];
// biome-ignore format: a table
const words = [
  "system-reminder", "system_reminder", "ystem-reminder", "reminder", "tool_call", "5ystem-reminder", "system", "SYS", "antml:", "end_of_turn", "section", "span", "div", "T", "s", "n", "id",
  "invoke name=", "Human:", "lt", "amp", "l", "t", "my-own", "x:", "sys", "tem-reminder",
];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...signs), fc.constantFrom(...words)), { maxLength: 12 })
  .map((parts) => parts.join(""));

describe("AC-39 what passes the quick test", () => {
  it("AC-39 stays as it is without the test, too", () => {
    let passed = 0;
    fc.assert(
      fc.property(texts, (value) => {
        if (!isHarmless(value) || hasOtherMarker(value)) return;
        passed += 1;
        expect(text(value)).toBe(value);
      }),
      runs(30_000, 39),
    );
    expect(passed).toBeGreaterThan(100);
  });

  it.each([["a"], ["x", "h1"], ["ab", "my-own"], ["t-x", "_under"], ["日本"]])(
    "AC-39 the same with other names that are reserved: %s",
    (...reserved) => {
      const other = createHarmlessTest(namesOf([...defaultReservedTags, ...knownTags, ...reserved]));
      const thorough = createNeutraliser({ reserved });
      const piece = fc.constantFrom(
        ...reserved,
        "<",
        "</",
        "< ",
        "&lt;",
        ">",
        "/>",
        " ",
        "=",
        "-",
        "b",
        "tx",
        "\n",
      );
      const some = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(""));
      fc.assert(
        fc.property(some, (value) => {
          if (other(value)) expect(thorough.text(value)).toBe(value);
        }),
        runs(20_000, 39),
      );
      expect(other(`<${reserved[0]}>`)).toBe(false);
    },
  );

  it("AC-39 is the same in a long text as in a short one", () => {
    fc.assert(
      fc.property(texts, (value) => {
        expect(text(`${filler}. ${value}\n`) === `${filler}${text(`. ${value}\n`)}`).toBe(true);
      }),
      runs(2_000, 39),
    );
  });

  it("AC-39 is no reference to a bracket or an ampersand: each number in each form", () => {
    for (let code = 0; code < 0x3100; code += 1) {
      const hex = code.toString(16);
      const four = hex.padStart(4, "0");
      const forms = [`&#${code};`, `&#0${code};`, `&#x${hex};`, `\\u${four}`, `\\U0000${four}`, `%u${four}`];
      if (code < 0xd800) forms.push(encodeURIComponent(String.fromCharCode(code)));
      if (code < 0x100)
        forms.push(`\\x${hex.padStart(2, "0")}`, `%${hex.padStart(2, "0")}`, `\\${code.toString(8)}`);
      for (const form of forms) {
        const forged = `${form}system-reminder>`;
        if (isHarmless(forged)) expect(text(forged)).toBe(forged);
      }
    }
  });

  it("AC-39 is no forged tag", () => {
    const forged = [...forgedByHand, ...forgedTags(3_000, defaultReservedTags)];
    expect(forged.filter((one) => isHarmless(one) && text(one) !== one)).toEqual([]);
  });

  it("AC-39 are ordinary pages and texts", () => {
    expect(harmless.filter((one) => !isHarmless(one)).length).toBeLessThan(harmless.length / 2);
    const page =
      '<!DOCTYPE html><div class="row"><a href="/x?a=1&amp;b=2&page=3">Text &nbsp; and &lt;code&gt; &copy; AT&T</a><section id="s1"><span>é</span></section><!-- x --></div>\n';
    expect(isHarmless(page)).toBe(true);
    expect(isHarmless("if (a < x && c <= 10 || i<n) return 100%5; // \\d+ C:\\users ’日本\r\n")).toBe(true);
    expect(isHarmless(readFileSync(new URL("../../../../../LICENSE", import.meta.url), "utf8"))).toBe(true);
  });
});

/** Those that are searched for by themselves. */
function hasOtherMarker(value: string): boolean {
  return /invok|Human:|INST\]/.test(value);
}
