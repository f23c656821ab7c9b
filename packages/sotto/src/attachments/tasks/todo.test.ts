import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { todo } from "./todo.ts";

describe("todo, as the model reads it", () => {
  it("AC-2 in every variant", () => {
    expect(examplesAsRead(todo)).toMatchInlineSnapshot(`
      "# changed by someone else
      <system-reminder>
      The todo list was changed outside this conversation. It is now:

      [1. [completed] Read the parser
      2. [pending] Add a changelog entry]
      </system-reminder>

      # emptied
      <system-reminder>
      The todo list was changed outside this conversation. It is empty now.
      </system-reminder>

      # after compaction
      <system-reminder>
      The earlier conversation is no longer in view; the todo list is still in force. It is now:

      [1. [in_progress] Fix the off-by-one]
      </system-reminder>"
    `);
  });
});
