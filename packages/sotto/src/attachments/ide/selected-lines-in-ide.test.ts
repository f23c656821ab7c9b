import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says, story } from "../../../../../test/support/telling.ts";
import { selectedLinesInIde } from "./selected-lines-in-ide.ts";

const select = (content: string, lineStart = 1) =>
  ({
    type: "ide_changed",
    ideName: "VS Code",
    openFile: "/nowhere/a.ts",
    selection: { filename: "/nowhere/a.ts", lineStart, lineEnd: lineStart, content },
  }) as const;
const nothing = { type: "ide_changed", ideName: "VS Code" } as const;

const shown = async (content: string, config = {}) => {
  const session = openSession({ config });
  await session.record(select(content));
  const { data } = (await session.turn()).attachments[0] ?? {};
  return (data as { content: string }).content;
};

it("AC-2 has the lines and where they are", () => {
  expect(examplesAsRead(selectedLinesInIde)).toMatchInlineSnapshot(`
    "# two lines
    <system-reminder>
    The user selected the lines 10 to 11 from /repo/src/a.ts:

    const a = 1;
    const b = 2;

    This may or may not matter for what they ask.
    </system-reminder>

    # more than is shown
    <system-reminder>
    The user selected the lines 1 to 900 from /repo/src/big.ts:

    export const first = 1;
    … (truncated)

    This may or may not matter for what they ask.
    </system-reminder>"
  `);
});

it("is said on change, again when it goes back, and not while nothing changed", async () => {
  expect(
    await story(openSession(), [
      select("A"),
      "turn",
      select("A"),
      "turn",
      select("B", 2),
      "turn",
      select("A"),
      "turn",
      nothing,
      "turn",
      select("A"),
      "turn",
    ]),
  ).toMatchInlineSnapshot(`
    "> ide_changed {"ideName":"VS Code","openFile":"/nowhere/a.ts","selection":{"filename":"/nowhere/a.ts","lineStart":1,"lineEnd":1,"content":"A"}}
    turn
      selected_lines_in_ide: The user selected the lines 1 to 1 from /nowhere/a.ts:⏎⏎A⏎⏎This may or may not matter for what they ask.
    > ide_changed {"ideName":"VS Code","openFile":"/nowhere/a.ts","selection":{"filename":"/nowhere/a.ts","lineStart":1,"lineEnd":1,"content":"A"}}
    turn: nothing
    > ide_changed {"ideName":"VS Code","openFile":"/nowhere/a.ts","selection":{"filename":"/nowhere/a.ts","lineStart":2,"lineEnd":2,"content":"B"}}
    turn
      selected_lines_in_ide: The user selected the lines 2 to 2 from /nowhere/a.ts:⏎⏎B⏎⏎This may or may not matter for what they ask.
    > ide_changed {"ideName":"VS Code","openFile":"/nowhere/a.ts","selection":{"filename":"/nowhere/a.ts","lineStart":1,"lineEnd":1,"content":"A"}}
    turn
      selected_lines_in_ide: The user selected the lines 1 to 1 from /nowhere/a.ts:⏎⏎A⏎⏎This may or may not matter for what they ask.
    > ide_changed {"ideName":"VS Code"}
    turn: nothing
    > ide_changed {"ideName":"VS Code","openFile":"/nowhere/a.ts","selection":{"filename":"/nowhere/a.ts","lineStart":1,"lineEnd":1,"content":"A"}}
    turn: nothing"
  `);
});

it("shows 2 000 characters, then says that it was cut; the number can be changed", async () => {
  expect(await shown("x".repeat(2000))).toBe("x".repeat(2000));
  expect(await shown("x".repeat(2001))).toBe(`${"x".repeat(2000)}\n… (truncated)`);
  expect(await shown(`${"x".repeat(1999)}\u{1f600}y`)).toBe(`${"x".repeat(1999)}\n… (truncated)`);
  expect(await shown("abcdef", { attachments: { ide_selection: { max_characters: 3 } } })).toBe(
    "abc\n… (truncated)",
  );
});

it("a cursor is no selection, and says why", async () => {
  const session = openSession();
  await session.record(select(" \n"));
  const turn = await answered(session);
  expect(outcomeOf(turn, "selected_lines_in_ide")).toBe("nothing: nothing is selected in the IDE");
  expect(says(turn, "opened_file_in_ide")).toBe(true);
});

it("AC-36 comes back once after compaction, and AC-25 is not for sub-agents", async () => {
  const session = openSession();
  await session.record(select("A"));
  await answered(session);
  await session.record({ type: "compacted" });
  expect(says(await answered(session), "selected_lines_in_ide")).toBe(true);
  expect(says(await answered(session), "selected_lines_in_ide")).toBe(false);
  const child = session.subagent({ agentType: "Explore" });
  await child.record(select("A"));
  expect(outcomeOf(await child.turn(), "selected_lines_in_ide")).toBe(
    "nothing: for the main agent only, this is a sub-agent",
  );
});
