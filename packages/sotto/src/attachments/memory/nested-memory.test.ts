import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { nestedMemory } from "./nested-memory.ts";

describe("nested_memory, as the model reads it", () => {
  it("AC-2 in every variant", () => {
    expect(examplesAsRead(nestedMemory)).toMatchInlineSnapshot(`
      "# a directory's instructions
      <system-reminder>
      Contents of /repo/src/ui/AGENTS.md:

      Components are functions; no default exports.
      </system-reminder>

      # a rule that matches
      <system-reminder>
      Contents of /repo/.claude/rules/tests.md:

      Tests compare whole values.
      </system-reminder>"
    `);
  });
});
