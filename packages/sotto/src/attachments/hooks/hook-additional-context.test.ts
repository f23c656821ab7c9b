import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { hookAdditionalContext } from "./hook-additional-context.ts";

it("AC-2 says the lines one below the other", () => {
  expect(examplesAsRead(hookAdditionalContext)).toMatchInlineSnapshot(`
    "# two lines
    <system-reminder>
    PostToolUse:Edit hook additional context: The formatter ran.
    src/parser.ts was changed by it.
    </system-reminder>"
  `);
});
