import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { deletedFile } from "./deleted-file.ts";

describe("deleted_file, as the model reads it", () => {
  it("AC-2 in every variant", () => {
    expect(examplesAsRead(deletedFile)).toMatchInlineSnapshot(`
      "# a file
      <system-reminder>
      /repo/src/old.ts, which you read earlier, no longer exists: it was deleted, moved or renamed outside this conversation.
      </system-reminder>

      # by a task of the agent
      <system-reminder>
      /repo/dist/a.js, which you read earlier, no longer exists: it was deleted, moved or renamed by your background task b1 (\`npm run clean\`).
      </system-reminder>

      # one of very many
      <system-reminder>
      /repo/old/a.ts and 40 others, which you read earlier, no longer exist: they were deleted, moved or renamed outside this conversation. The others:
      /repo/old/b.ts
      /repo/old/c.ts
      … and 38 more, named in later turns
      </system-reminder>"
    `);
  });
});
