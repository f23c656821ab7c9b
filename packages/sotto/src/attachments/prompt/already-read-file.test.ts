import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { alreadyReadFile } from "./already-read-file.ts";

describe("already_read_file, as the model reads it", () => {
  it("AC-2 in every variant", () => {
    expect(examplesAsRead(alreadyReadFile)).toMatchInlineSnapshot(`
      "# a file
      "
    `);
  });
});
