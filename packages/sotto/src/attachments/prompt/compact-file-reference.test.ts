import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { compactFileReference } from "./compact-file-reference.ts";

describe("compact_file_reference, as the model reads it", () => {
  it("AC-2 in every variant", () => {
    expect(examplesAsRead(compactFileReference)).toMatchInlineSnapshot(`
      "# mentioned
      <system-reminder>
      The user mentioned /repo/video.pdf. It is too large to include here. Use Read for the part you need.
      </system-reminder>

      # mentioned beside many others
      <system-reminder>
      The user mentioned /repo/src/z.ts. There was no room left to include it here. Use Read for the part you need.
      </system-reminder>

      # too slow
      <system-reminder>
      The user mentioned /repo/plan.png. It could not be made ready in time. Use Read for the part you need.
      </system-reminder>

      # read before compaction
      <system-reminder>
      Also read before the conversation was summarised, and not included here. Use Read for the part you need.
      /repo/src/b.ts
      /repo/src/a.ts
      /repo/manual.pdf (too large to include)
      </system-reminder>

      # the only one, and too large
      <system-reminder>
      /repo/src/big.ts was read before the conversation was summarised. It is too large to include here. Use Read for the part you need.
      </system-reminder>"
    `);
  });
});
