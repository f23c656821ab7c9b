import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { editedImageFile } from "./edited-image-file.ts";

describe("edited_image_file, as the model reads it", () => {
  it("AC-2 in every variant", () => {
    expect(examplesAsRead(editedImageFile)).toMatchInlineSnapshot(`
      "# an image, not sent
      "
    `);
  });
});
