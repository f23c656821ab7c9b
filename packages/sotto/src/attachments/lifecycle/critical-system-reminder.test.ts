import { describe, expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import {
  answered,
  openSession,
  outcomeOf,
  says,
  textOf,
  turnsThatSay,
} from "../../../../../test/support/telling.ts";
import { criticalSystemReminder } from "./critical-system-reminder.ts";

const config = { critical_instruction: "Always run the tests." };

describe("critical_system_reminder, as the model reads it", () => {
  it("AC-2 is the user's text", () => {
    expect(examplesAsRead(criticalSystemReminder)).toMatchInlineSnapshot(`
      "# an instruction
      <system-reminder>
      Always run the tests before you commit.
      </system-reminder>

      # of a project that is not trusted
      <system-reminder>
      /repo/sotto.toml, a file of this project, says:

      > Always run the tests before you commit.
      </system-reminder>"
    `);
  });

  it("AC-2 leaves the text as it is: white space, markup, several lines", () => {
    const content = '  Two  spaces,\n\n\ttabs, <b>markup</b> & "quotes"; 100 % \u2013 \u{1f600}\n- a list\n';
    expect(asRead(criticalSystemReminder, { content })).toBe(
      `<system-reminder>\n${content}\n</system-reminder>`,
    );
  });
});

describe("critical_system_reminder, when", () => {
  it("AC-17 is said on every turn when set, and never when not", async () => {
    const session = openSession({ config });
    expect(await turnsThatSay(session, "critical_system_reminder", 6)).toEqual([0, 1, 2, 3, 4, 5]);
    const other = openSession();
    expect(outcomeOf(await other.turn(), "critical_system_reminder")).toBe(
      "nothing: no critical instruction is set",
    );
  });

  it("AC-17 is said on every call of turn(), also while no assistant message came", async () => {
    const session = openSession({ config });
    for (let call = 0; call < 3; call++) {
      const turn = await session.turn();
      expect(says(turn, "critical_system_reminder")).toBe(true);
      await turn.commit();
    }
  });

  it("AC-17 every_turns thins it out, and reset() and compaction begin anew", async () => {
    const session = openSession({
      config: { ...config, attachments: { critical_instruction: { every_turns: 3 } } },
    });
    expect(await turnsThatSay(session, "critical_system_reminder", 8)).toEqual([0, 3, 6]);
    expect(outcomeOf(await session.turn(), "critical_system_reminder")).toBe(
      "throttled: 2 of 3 turns since it was last sent, 1 to go",
    );
    await session.reset();
    expect(await turnsThatSay(session, "critical_system_reminder", 2)).toEqual([0]);
    await session.record({ type: "compacted" });
    expect(await turnsThatSay(session, "critical_system_reminder", 1)).toEqual([0]);
  });

  it("AC-20 reaches sub-agents, with the text of their definition, on every turn", async () => {
    const session = openSession({ config });
    const definition = { criticalSystemReminder: "You only read." };
    const child = session.subagent({ agentType: "Explore", definition });
    for (let count = 0; count < 3; count++)
      expect((await answered(child)).reminders.map(({ text }) => text)).toEqual([
        "<system-reminder>\nYou only read.\n</system-reminder>",
        "<system-reminder>\nAlways run the tests.\n</system-reminder>",
      ]);
  });

  it("white space alone is no instruction", async () => {
    const session = openSession({ config: { critical_instruction: " \n " } });
    expect(textOf(await session.turn(), "critical_system_reminder")).toBeUndefined();
  });

  it("AC-42 is never cut, however small the budget", async () => {
    const critical_instruction = "Do not forget this. ".repeat(200).trim();
    const session = openSession({
      config: { critical_instruction, max_tokens_per_turn: 100, max_context_tokens: 100 },
    });
    expect(textOf(await session.turn(), "critical_system_reminder")).toBe(
      `<system-reminder>\n${critical_instruction}\n</system-reminder>`,
    );
  });
});
