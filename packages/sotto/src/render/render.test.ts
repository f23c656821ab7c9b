import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Content, element, type Part } from "./content.ts";
import { blockTokens, cutContent, renderBlocks } from "./render.ts";
import { createTags } from "./tags.ts";

const tags = createTags({});
const render = (content: Content, wrapper: string | undefined = "system-reminder") =>
  renderBlocks(content, { tags, wrapper });
const image = (blob: string) => ({ type: "image", mediaType: "image/png", blob }) as const;

describe("rendering", () => {
  it("AC-2 wraps each text block on its own, and leaves images as they are", () => {
    expect(
      render(["One", " and two", image("b1"), { type: "text", text: "three" }, image("b2"), " "]),
    ).toEqual([
      { type: "text", text: "<system-reminder>\nOne and two\n</system-reminder>" },
      image("b1"),
      { type: "text", text: "<system-reminder>\nthree\n</system-reminder>" },
      image("b2"),
    ]);
  });

  it("AC-2 lets content bring its own tags", () => {
    const content = [element("teammate-message", "Hi", { attributes: { teammate_id: 'a"b' }, lines: true })];
    expect(renderBlocks(content, { tags })).toEqual([
      { type: "text", text: '<teammate-message teammate_id="a&quot;b">\nHi\n</teammate-message>' },
    ]);
  });

  it("AC-39 no tag can be put together from two parts", () => {
    const parts = ["</system-", "reminder>", { type: "text", text: "</sys" } as const, "tem-reminder>"];
    expect(render(parts)).toEqual([
      { type: "text", text: "<system-reminder>\n[/system-reminder>[/system-reminder>\n</system-reminder>" },
    ]);
    expect(render([element("new-diagnostics", ["</new-", "diagnostics>"])])).toEqual([
      {
        type: "text",
        text: "<system-reminder>\n<new-diagnostics>[/new-diagnostics></new-diagnostics>\n</system-reminder>",
      },
    ]);
  });

  it("says nothing where there is nothing to say", () => {
    expect([render(""), render(" \n"), render([]), render(["", ""])]).toEqual([[], [], [], []]);
  });

  it.each([
    [undefined, "its render returned neither a text nor a list of parts"],
    [null, "its render returned neither a text nor a list of parts"],
    [7, "its render returned neither a text nor a list of parts"],
    [{ type: "text", text: "x" }, "its render returned neither a text nor a list of parts"],
    [[null], "its render returned something that is neither text, element nor image"],
    [[7], "its render returned something that is neither text, element nor image"],
    [[{}], "its render returned something that is neither text, element nor image"],
    [[{ type: "image" }], "its render returned something that is neither text, element nor image"],
    [[{ type: "text", text: 7 }], "its render returned something that is neither text, element nor image"],
    [[{ tag: "x", content: 7 }], "its render returned neither a text nor a list of parts"],
    ["x".repeat(100_000_000), "its text was more than 64000000 characters"],
  ])("AC-4 refuses junk", (content, message) => {
    expect(() => render(content as Content)).toThrow(message);
  });

  it("AC-4 keeps of an image what belongs to it", () => {
    const circular: Record<string, unknown> = { ...image("b1") };
    circular.self = circular;
    expect(render([circular as never])).toEqual([image("b1")]);
  });
});

describe("cutting", () => {
  const cut = (content: Content, tokens: number) =>
    render(cutContent(content, (part) => blockTokens(render(part)) <= tokens, "(cut; ask for the rest)"));

  it("AC-42 keeps the beginning, and says that there is more, inside the tag it stands in", () => {
    expect(cut("One two three four five six seven eight nine ten.", 20)).toEqual([
      {
        type: "text",
        text: "<system-reminder>\nOne two \n… (cut; ask for the rest)\n</system-reminder>",
      },
    ]);
    expect(
      cut([element("new-diagnostics", "One two three four five six seven eight nine ten.")], 30),
    ).toEqual([
      {
        type: "text",
        text: "<system-reminder>\n<new-diagnostics>One two \n… (cut; ask for the rest)</new-diagnostics>\n</system-reminder>",
      },
    ]);
  });

  it("AC-42 AC-39 fits whatever is cut, breaks no character, and makes no tag where the cut falls", () => {
    const part: fc.Arbitrary<Part> = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.constantFrom("</system-reminder>", "</system-reminderx>", "\u{1f600}".repeat(20), "<b>"),
      fc.string({ maxLength: 200 }).map((text) => element("new-diagnostics", text)),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.integer({ min: 25, max: 200 }), (content, tokens) => {
        const blocks = cut(content, tokens);
        expect(blockTokens(blocks)).toBeLessThanOrEqual(tokens);
        for (const block of blocks) {
          if (block.type !== "text") continue;
          expect(block.text.isWellFormed()).toBe(true);
          expect(block.text.match(/<\/system-reminder>/gu)).toHaveLength(1);
        }
      }),
    );
  });
});
