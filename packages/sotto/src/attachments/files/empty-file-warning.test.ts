import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { emptyFileWarning } from "./empty-file-warning.ts";

it("AC-2 says that the file is empty", () => {
  expect(examplesAsRead(emptyFileWarning)).toMatchInlineSnapshot(`
    "# a file
    <system-reminder>
    Warning: the file /repo/src/empty.ts exists but the contents are empty.
    </system-reminder>"
  `);
});
