import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says, turnsThatSay } from "../../../../../test/support/telling.ts";
import { outputStyle } from "./output-style.ts";

const style = (name: string) => ({ type: "style_changed", style: name }) as const;

it("AC-2 names the style", () => {
  expect(examplesAsRead(outputStyle)).toMatchInlineSnapshot(`
    "# a style
    <system-reminder>
    Explanatory output style is active. Follow its guidelines.
    </system-reminder>"
  `);
});

it("is said when a style is set, and every 10 turns; never of the default", async () => {
  const session = openSession();
  await session.record(style("default"));
  expect(outcomeOf(await answered(session), "output_style")).toBe("nothing: the default style is set");
  await session.record(style("explanatory"));
  expect(await turnsThatSay(session, "output_style", 22)).toEqual([0, 10, 20]);
});

it("is said at once on every change, and not on one that was taken back unsaid", async () => {
  const session = openSession();
  await session.record(style("explanatory"));
  expect(says(await answered(session), "output_style")).toBe(true);
  await session.record(style("learning"));
  expect(says(await answered(session), "output_style")).toBe(true);
  await session.record(style("explanatory"));
  expect(says(await answered(session), "output_style")).toBe(true);
  await session.record(style("learning"));
  await session.record(style("explanatory"));
  expect(outcomeOf(await answered(session), "output_style")).toBe(
    "throttled: 1 of 10 turns since it was last sent, 9 to go",
  );
});

it("AC-36 comes back after compaction, and AC-25 is not for sub-agents", async () => {
  const session = openSession();
  await session.record(style("explanatory"));
  await answered(session);
  await session.record({ type: "compacted" });
  expect(says(await answered(session), "output_style")).toBe(true);
  const child = session.subagent({ agentType: "Explore" });
  await child.record(style("explanatory"));
  expect(says(await child.turn(), "output_style")).toBe(false);
});
