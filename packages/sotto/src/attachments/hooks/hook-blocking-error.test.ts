import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { hookBlockingError } from "./hook-blocking-error.ts";

it("AC-2 names the hook, its command and its reason, as far as they are known", () => {
  expect(examplesAsRead(hookBlockingError)).toMatchInlineSnapshot(`
    "# blocked
    <system-reminder>
    PreToolUse:Bash hook blocking error from command: "node hooks/check.js": rm -rf is not allowed here.
    </system-reminder>

    # no command known
    <system-reminder>
    Stop hook blocking error: The tests have not run.
    </system-reminder>

    # no reason
    <system-reminder>
    Stop hook blocking error from command: "exit 2": no reason was given
    </system-reminder>"
  `);
});
