import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { microCompact } from "./micro-compact.ts";

it("AC-2 says how many results were cleared", () => {
  expect(examplesAsRead(microCompact)).toMatchInlineSnapshot(`
    "# twelve results
    <system-reminder>
    Micro-compact cleared 12 tool result(s) to reduce context size.
    </system-reminder>"
  `);
});
