import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { hookStoppedContinuation } from "./hook-stopped-continuation.ts";

it("AC-2 says why, if the hook did", () => {
  expect(examplesAsRead(hookStoppedContinuation)).toMatchInlineSnapshot(`
    "# stopped
    <system-reminder>
    PostToolUse:Bash hook stopped continuation: The build is broken.
    </system-reminder>

    # no reason
    <system-reminder>
    PostToolUse:Bash hook stopped continuation: no reason was given
    </system-reminder>"
  `);
});
