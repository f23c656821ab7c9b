import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { verifyPlanReminder } from "./verify-plan-reminder.ts";

it("AC-2 says that the items can be checked", () => {
  expect(examplesAsRead(verifyPlanReminder)).toMatchInlineSnapshot(`
    "# finished
    <system-reminder>
    The plan is implemented. Before you report it as done, check each of its items against what is there now.
    </system-reminder>"
  `);
});
