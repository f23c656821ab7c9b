import { expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says, story } from "../../../../../test/support/telling.ts";
import { openedFileInIde } from "./opened-file-in-ide.ts";

const open = (openFile?: string) =>
  ({ type: "ide_changed", ideName: "VS Code", ...(openFile === undefined ? {} : { openFile }) }) as const;
const select = {
  ...open("/nowhere/a.ts"),
  selection: { filename: "/nowhere/a.ts", lineStart: 1, lineEnd: 1, content: "A" },
} as const;

it("AC-2 names the file, on one line whatever it is called", () => {
  expect(examplesAsRead(openedFileInIde)).toMatchInlineSnapshot(`
    "# a file
    <system-reminder>
    The user opened the file /repo/src/a.ts in the IDE. This may or may not matter for what they ask.
    </system-reminder>"
  `);
  expect(asRead(openedFileInIde, { filename: "/repo/a\nb.ts" })).toMatchInlineSnapshot(`
    "<system-reminder>
    The user opened the file "/repo/a\\nb.ts" in the IDE. This may or may not matter for what they ask.
    </system-reminder>"
  `);
});

it("is said on change, and not while lines are selected", async () => {
  expect(
    await story(openSession(), [
      open("/nowhere/a.ts"),
      "turn",
      "turn",
      open("/nowhere/b.ts"),
      "lost turn",
      "turn",
      open("/nowhere/a.ts"),
      "turn",
      select,
      "turn",
      open(),
      "turn",
    ]),
  ).toMatchInlineSnapshot(`
    "> ide_changed {"ideName":"VS Code","openFile":"/nowhere/a.ts"}
    turn
      opened_file_in_ide: The user opened the file /nowhere/a.ts in the IDE. This may or may not matter for what they ask.
    turn: nothing
    > ide_changed {"ideName":"VS Code","openFile":"/nowhere/b.ts"}
    lost turn
      opened_file_in_ide: The user opened the file /nowhere/b.ts in the IDE. This may or may not matter for what they ask.
    turn
      opened_file_in_ide: The user opened the file /nowhere/b.ts in the IDE. This may or may not matter for what they ask.
    > ide_changed {"ideName":"VS Code","openFile":"/nowhere/a.ts"}
    turn
      opened_file_in_ide: The user opened the file /nowhere/a.ts in the IDE. This may or may not matter for what they ask.
    > ide_changed {"ideName":"VS Code","openFile":"/nowhere/a.ts","selection":{"filename":"/nowhere/a.ts","lineStart":1,"lineEnd":1,"content":"A"}}
    turn
      selected_lines_in_ide: The user selected the lines 1 to 1 from /nowhere/a.ts:⏎⏎A⏎⏎This may or may not matter for what they ask.
    > ide_changed {"ideName":"VS Code"}
    turn: nothing"
  `);
});

it("says why it is silent", async () => {
  const session = openSession();
  const why = async () => outcomeOf(await answered(session), "opened_file_in_ide");
  expect(await why()).toBe("nothing: no file is open in the IDE");
  await session.record(select);
  expect(await why()).toBe("nothing: lines of /nowhere/a.ts are selected");
  await session.record(open("/nowhere/a.ts"));
  await answered(session);
  expect(await why()).toBe("nothing: sent in turn 3, unchanged since");
});

it("AC-36 comes back once after compaction, and AC-25 is not for sub-agents", async () => {
  const session = openSession();
  await session.record(open("/nowhere/a.ts"));
  await answered(session);
  await session.record({ type: "compacted" });
  expect(says(await answered(session), "opened_file_in_ide")).toBe(true);
  expect(says(await answered(session), "opened_file_in_ide")).toBe(false);
  const child = session.subagent({ agentType: "Explore" });
  await child.record(open("/nowhere/a.ts"));
  expect(says(await child.turn(), "opened_file_in_ide")).toBe(false);
});
