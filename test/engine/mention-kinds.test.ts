// What each kind of mention looks like to the model, in the request it gets.

import { appendFileSync, writeFileSync } from "node:fs";
import type { Turn } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { handWires, listOf, prompt, type WireBody } from "../support/agent-wire.ts";
import { ask, changesIn, createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { patientMentions } from "../support/mention-sources.ts";
import { pdfOf } from "../support/mentioned-files.ts";
import { remindersIn } from "../support/requests.ts";
import { outcomeOf, textOf } from "../support/telling.ts";
import { PNG } from "../support/world.ts";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => world.remove());

/** What the Read tool is said to have answered, by its input. */
function readings({ reminders }: Turn): Record<string, string> {
  const found = reminders.flatMap(({ text }) => {
    const [, input = "", result = ""] =
      /input: (.*)\n\nResult of calling the Read tool: ([\s\S]*)\n<\/system-reminder>$/u.exec(text) ?? [];
    return input === "" ? [] : [[input.replaceAll(`${world.root}/`, ""), result]];
  });
  return Object.fromEntries(found);
}

describe("lines of a file", () => {
  it("come by every spelling, each range once", async () => {
    world.write("a b.ts", "1\n2\n3\n4\n5\n");
    const turn = await ask(
      openIn(world),
      'See @a\\ b.ts#L1-2, @"a b.ts":2 and @"a b.ts"#L3-, @"a b.ts:4-5", @"a b.ts#L3" and @a\\ b.ts:1-2.',
    );
    expect(readings(turn)).toEqual({
      '{"file_path":"a b.ts","offset":1,"limit":2}': "     1\t1\n     2\t2",
      '{"file_path":"a b.ts","offset":2,"limit":1}': "     2\t2",
      '{"file_path":"a b.ts","offset":3,"limit":1}': "     3\t3",
      '{"file_path":"a b.ts","offset":4,"limit":2}': "     4\t4\n     5\t5",
    });
  });

  it("that make no sense are told, beside all else the prompt mentions", async () => {
    world.write("a.ts", "1\n2\n");
    world.write("b.ts", "b\n");
    const session = openIn(world);
    const turn = await ask(session, "@a.ts#L0 @a.ts:2-1 @a.ts:7-9 @b.ts @a.ts:2-99");
    expect(
      turn.reminders.map(({ text }) => text.slice(text.indexOf("{"), -"\n</system-reminder>".length)),
    ).toEqual([
      `{"file_path":"${world.at("a.ts")}"}\n\nResult of calling the Read tool: There is no line 0: lines count from 1. The file has 2 lines.`,
      `{"file_path":"${world.at("a.ts")}"}\n\nResult of calling the Read tool: Lines 2-1 make no sense: the last line is before the first. The file has 2 lines.`,
      `{"file_path":"${world.at("a.ts")}","offset":7,"limit":3}\n\nResult of calling the Read tool: There are no lines 7-9 to show. The file has 2 lines.`,
      `{"file_path":"${world.at("b.ts")}"}\n\nResult of calling the Read tool:      1\tb`,
      `{"file_path":"${world.at("a.ts")}","offset":2,"limit":98}\n\nResult of calling the Read tool:      2\t2`,
    ]);
    // None of that was the file.
    expect(changesIn(await ask(session, "@a.ts"), world)).toEqual({ file: ["a.ts"] });
  });
});

describe("a file that is too long", () => {
  const last = ({ reminders }: Turn) => reminders[0]?.text.split("\n").slice(-3, -1);

  it("is cut after a line, and the model is told where to read on", async () => {
    const line = "a line that is long enough for the characters to run out first";
    world.write("long.txt", `${line}\n`.repeat(1000));
    expect(last(await ask(openIn(world), "@long.txt"))).toEqual([
      `   634\t${line}`,
      "(cut after line 634 of 1000; use Read from line 635 on for the rest)",
    ]);
    expect(last(await ask(openIn(world), "@long.txt#L11-900"))?.at(-1)).toBe(
      "(cut after line 644 of 1000; use Read from line 645 on for the rest)",
    );
  });

  it("is cut after a line where the budget is too small for it, and counts as read up to there", async () => {
    world.write("many.txt", Array.from({ length: 500 }, (_, index) => `${index + 1}`).join("\n"));
    const session = openIn(world, { config: { max_prompt_tokens: 500 } });
    const turn = await ask(session, "@many.txt");
    const [shown, note] = last(turn) ?? [];
    const line = Number(/^ *(\d+)\t\1$/u.exec(shown ?? "")?.[1]);
    expect(note).toBe(`(cut after line ${line} of 500; use Read from line ${line + 1} on for the rest)`);
    expect(turn.reminders[0]?.tokens).toBeLessThanOrEqual(500);
    appendFileSync(world.at("many.txt"), "\n501");
    expect(changesIn(await ask(session, "And now?"), world)).toEqual({});
    world.write("many.txt", "changed\n");
    expect(changesIn(await ask(session, "And now?"), world)).toEqual({ edited_text_file: ["many.txt"] });
  });

  it("is cut within its only line, and nobody is sent to read the same beginning again", async () => {
    world.write("app.min.js", "x".repeat(50_000));
    expect(last(await ask(openIn(world), "@app.min.js"))?.at(-1)).toBe(
      "(cut within line 1 of 1: line 1 is longer than what is shown)",
    );
  });
});

describe("other kinds", () => {
  it("a notebook comes cell by cell, a PDF page by page", async () => {
    const cells = [
      { cell_type: "markdown", source: ["# Plot"] },
      { cell_type: "code", source: "1 + 1", outputs: [{ output_type: "stream", text: ["2\n"] }] },
    ];
    world.write("plot.ipynb", JSON.stringify({ cells, nbformat: 4 }));
    world.write("paper.pdf", pdfOf(["First page", "Second page"]));
    const session = openIn(world, { sources: [patientMentions(world)] });
    expect(readings(await ask(session, "@plot.ipynb and @paper.pdf"))).toEqual({
      '{"file_path":"plot.ipynb"}': "Cell 1 (markdown):\n# Plot\n\nCell 2 (code):\n1 + 1\nOutput:\n2\n",
      '{"file_path":"paper.pdf"}': "Page 1 of 2:\nFirst page\n\nPage 2 of 2:\nSecond page",
    });
  });

  it.each(handWires)("an image stands in the request of $name, once, and stays there", async (wire) => {
    writeFileSync(world.at("dot.png"), Buffer.from(PNG, "base64"));
    const session = openIn(world);
    const messages = [prompt("What is on @dot.png ?")];
    const turnOf = (userPrompt?: string) =>
      session.turn<WireBody>({
        dialect: wire.dialect,
        body: wire.body(messages),
        ...(userPrompt === undefined ? {} : { userPrompt }),
      });
    const first = await turnOf("What is on @dot.png ?");
    expect(wire.check(first.body)).toEqual([]);
    expect(remindersIn(wire, first.body)).toEqual([
      `<system-reminder>\nThis file is attached: ${world.at("dot.png")}\n\nIts content:\nan image\n</system-reminder>`,
    ]);
    expect(listOf(wire, first.body).at(-1)?.content).toEqual([
      { type: "text", text: remindersIn(wire, first.body)[0] },
      wire.image(PNG),
    ]);
    expect(first.attachments.find(({ type }) => type === "file")?.data).toMatchObject({
      content: { type: "image", mediaType: "image/png", data: PNG },
    });
    messages.push(...wire.reply("A dot.", []), prompt("Is @dot.png red?"));
    const second = await turnOf("Is @dot.png red?");
    expect(JSON.stringify(second.body).split(PNG)).toHaveLength(2);
    const before = listOf(wire, first.body);
    expect(listOf(wire, second.body).slice(0, before.length)).toEqual(before);
  });

  it("what cannot be included is named, and the trace says why", async () => {
    writeFileSync(world.at("huge.png"), Buffer.concat([Buffer.from(PNG, "base64"), Buffer.alloc(9_000_000)]));
    const turn = await ask(openIn(world), "@huge.png");
    expect(textOf(turn, "compact_file_reference")).toContain("It is too large to include here. Use Read");
    expect(outcomeOf(turn, "file")).toMatch(/^nothing: 1 mentioned, not shown: \S+huge\.png has 8\.6 MB/u);
  });
});
