import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { repeated, searchHostile } from "../../../../../test/support/hostile-search.ts";
import { slowTexts } from "../../../../../test/support/slow-texts.ts";
import type { Content } from "../content.ts";
import { assembleBlocks, blockTokens, cutContent, neutralContent, neutralOnceMore } from "../render.ts";
import { createTags } from "../tags.ts";
import { createNeutraliser } from "./neutralise.ts";

const work = { steps: 0, calls: 0 };
const { text } = createNeutraliser({
  onWork: (steps) => {
    work.steps = steps;
    work.calls += 1;
  },
});

function stepsFor(value: string): number {
  text(value);
  return work.steps / value.length;
}

describe("AC-39 work", () => {
  it("AC-39 ordinary code and pages take little more than a step a character", () => {
    const read = (path: string) => readFileSync(new URL(`../../../../../${path}`, import.meta.url), "utf8");
    expect(stepsFor(read("node_modules/typescript/lib/typescript.d.ts"))).toBeLessThan(1.1);
    expect(stepsFor(read("README.md"))).toBeLessThan(1.1);
    expect(stepsFor('<p class="x">5 &lt; 6 &amp;&amp; <b>7</b>&nbsp;</p>\n'.repeat(5_000))).toBeLessThan(2);
  });

  it.each(slowTexts.map((value) => [value.slice(0, 12), value] as const))(
    "AC-39 %j and so on takes no more than a few steps a character",
    (_, value) => expect(stepsFor(repeated(value, 500_000))).toBeLessThan(10),
  );

  it("AC-39 what a short search finds takes no more either", () => {
    for (const { piece } of searchHostile(2_000, 7, 5))
      expect(stepsFor(repeated(piece, 200_000)), piece).toBeLessThan(16);
  });

  it("AC-39 a text that uses up its steps loses every bracket that could open a tag, and stays as it is then", () => {
    const busy = `${"<ａ:ａ:ﬁﬁ%1b".repeat(40_000)}<div></system-reminder>`;
    const neutral = text(busy);
    expect(neutral).not.toContain("</system");
    expect(neutral).toContain("<div>");
    expect(text(neutral) === neutral).toBe(true);
  });

  it("AC-42 cutting to a budget neutralises once, not for every try", () => {
    const { nameOf } = createTags({});
    const neutraliser = { text, attribute: (value: string) => value };
    const before = work.calls;
    const assemble = (part: Content) => assembleBlocks(part, { nameOf, wrapper: "system-reminder" });
    const neutral = neutralContent(slowTexts.join("\n"), neutraliser);
    const cut = cutContent(neutral, (part) => blockTokens(assemble(part)) <= 4_000, "(cut)");
    expect(blockTokens(assemble(neutralOnceMore(cut, neutraliser)))).toBeLessThanOrEqual(4_000);
    expect(work.calls - before).toBe(2);
  });
});
