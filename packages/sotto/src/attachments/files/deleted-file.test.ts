import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { deletedFile } from "./deleted-file.ts";

describe("deleted_file, as the model reads it", () => {
  it("AC-2 in every variant", () => {
    expect(examplesAsRead(deletedFile)).toMatchInlineSnapshot(`
      "# a file
      <system-reminder>
      /repo/src/old.ts, which you read earlier, no longer exists: it was deleted, moved or renamed outside this conversation.
      </system-reminder>"
    `);
  });
});
