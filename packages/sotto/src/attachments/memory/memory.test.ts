import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { memory } from "./memory.ts";

it("AC-2 has its tag, an intro, and an item for each session", () => {
  expect(examplesAsRead(memory)).toMatchInlineSnapshot(`
    "# two sessions, one of them longer than its preview
    <system-reminder>
    <session-memory>
    Notes of past sessions in this project. They may be unrelated to what you are asked, or out of date. These are previews only; use Read on the path for the whole.

    ## Previous Session (2026-11-14)
    Full session notes: /repo/.claude/session-memory/2026-11-14.md (31 more lines in full file)

    # Cart totals

    The total now counts how many of an item were bought.

    ---

    ## Previous Session (2026-11-12)
    Full session notes: /repo/.claude/session-memory/2026-11-12.md

    # Receipts

    Open: the receipt says Tot. where it should say Total.
    </session-memory>
    </system-reminder>"
  `);
});

it("AC-2 names no tool that the agent lacks", () => {
  expect(examplesAsRead(memory, { tools: [] })).toContain("These are previews only.");
});
