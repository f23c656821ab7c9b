import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { directory } from "./directory.ts";

describe("directory, as the model reads it", () => {
  it("AC-2 in every variant", () => {
    expect(examplesAsRead(directory)).toMatchInlineSnapshot(`
      "# a directory
      <system-reminder>
      Called the Bash tool with the following input: {"command":"ls /repo/src","description":"Lists files in /repo/src"}

      Result of calling the Bash tool: core/
      index.ts
      main.ts
      </system-reminder>

      # an empty one, with a space in its name
      <system-reminder>
      Called the Bash tool with the following input: {"command":"ls '/repo/my docs'","description":"Lists files in /repo/my docs"}

      Result of calling the Bash tool: the directory is empty
      </system-reminder>"
    `);
  });
});
