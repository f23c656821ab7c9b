import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { dateChange } from "./date-change.ts";

it("AC-2 says today's date", () => {
  expect(examplesAsRead(dateChange)).toMatchInlineSnapshot(`
    "# the next day
    <system-reminder>
    The date has changed during this session: today's date is now 2026-11-16.
    </system-reminder>"
  `);
});
