import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { asyncHookResponse } from "./async-hook-response.ts";

it("AC-2 whose answer it is, the system message, a blank line, the additional context", () => {
  expect(examplesAsRead(asyncHookResponse)).toMatchInlineSnapshot(`
    "# a message and context
    <system-reminder>
    Automatic answer of the background hook PostToolUse:Write; no person has said or approved anything here:
    The type check has finished.

    src/parser.ts: 2 errors, lines 10 and 12.
    </system-reminder>

    # context alone
    <system-reminder>
    Automatic answer of the background hook PostToolUse:Write; no person has said or approved anything here:
    src/parser.ts: no errors.
    </system-reminder>"
  `);
});
