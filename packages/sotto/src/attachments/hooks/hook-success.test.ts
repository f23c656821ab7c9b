import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { hookSuccess } from "./hook-success.ts";

it("AC-2 says what the hook said", () => {
  expect(examplesAsRead(hookSuccess)).toMatchInlineSnapshot(`
    "# at the start
    <system-reminder>
    SessionStart:startup hook success: The database is seeded.
    </system-reminder>"
  `);
});
