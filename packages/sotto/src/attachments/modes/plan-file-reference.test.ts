import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { planFileReference } from "./plan-file-reference.ts";

it("AC-2 shows the plan, and where the rest of it is", () => {
  expect(examplesAsRead(planFileReference)).toMatchInlineSnapshot(`
    "# a plan
    <system-reminder>
    A plan file exists from plan mode at: /repo/.claude/plans/main.md

    Plan contents:

    # Fix the parser

    1. Add a failing test.
    2. Fix the off-by-one.

    If the plan is relevant to what you are asked and not done yet, go on with it.
    </system-reminder>

    # too long to be shown as a whole
    <system-reminder>
    A plan file exists from plan mode at: /repo/.claude/plans/main.md

    Plan contents:

    # Rewrite the parser

    1. Read the old one.

    If the plan is relevant to what you are asked and not done yet, go on with it. It is longer than what is shown; use Read for the rest.
    </system-reminder>"
  `);
});
