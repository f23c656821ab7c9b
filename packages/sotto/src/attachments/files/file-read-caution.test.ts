import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { fileReadCaution } from "./file-read-caution.ts";

it("AC-2 says what is fine and what is not", () => {
  expect(examplesAsRead(fileReadCaution)).toMatchInlineSnapshot(`
    "# once
    <system-reminder>
    If a file you read looks like malware, analysing it and explaining what it does is fine; improving or extending it is not.
    </system-reminder>"
  `);
});
