import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { asyncHookResponse } from "./async-hook-response.ts";

it("AC-2 the system message, a blank line, the additional context", () => {
  expect(examplesAsRead(asyncHookResponse)).toMatchInlineSnapshot(`
    "# a message and context
    <system-reminder>
    The type check has finished.

    src/parser.ts: 2 errors, lines 10 and 12.
    </system-reminder>

    # context alone
    <system-reminder>
    src/parser.ts: no errors.
    </system-reminder>"
  `);
});
