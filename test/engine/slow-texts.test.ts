// Texts made to keep the neutraliser busy, through every way others' words come into a turn.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionEvent } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEngine } from "../support/open-engine.ts";
import { longestHold, slowTexts } from "../support/slow-texts.ts";

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-slow-")));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

// It took from ten to eighty-seven seconds before; a tenth of this is usual on a machine with nothing else to do.
const MOST_MS = 3_000;
const STAMP = "2026-11-15T10:00:00Z";

const ways: Record<string, (text: string, index: number) => SessionEvent> = {
  mail: (text, index) => ({ type: "message_received", id: `m${index}`, from: "ada", text, timestamp: STAMP }),
  "queued messages": (prompt, index) => ({ type: "prompt_queued", id: `q${index}`, prompt }),
  "task errors": (error, index) => ({ type: "task_finished", taskId: `t${index}`, status: "failed", error }),
  "hook texts": (text, index) => ({
    type: "hook_finished",
    hookName: "check",
    hookEvent: "PostToolUse",
    processId: `h${index}`,
    outcome: "success",
    async: false,
    additionalContext: text,
  }),
  diagnostics: (message, index) => ({
    type: "diagnostics_published",
    origin: "host",
    filePath: `/repo/a${index}.ts`,
    diagnostics: [{ line: 1, severity: "Error", message }],
  }),
};

describe("AC-39 the event loop is not held", () => {
  it.each(Object.entries(ways))("by %s", async (_, event) => {
    const session = openEngine({ cwd });
    for (const [index, text] of slowTexts.entries()) await session.record(event(text, index));
    const turns: string[] = [];
    const held = await longestHold(async () => {
      for (let count = 0; count < 3; count += 1) {
        const turn = await session.turn();
        turns.push(...turn.reminders.map((reminder) => reminder.text));
        await turn.commit();
      }
    });
    await session.close();
    expect(turns.length).toBeGreaterThan(0);
    expect(held).toBeLessThan(MOST_MS);
  });

  it("by ten rules", async () => {
    mkdirSync(join(cwd, ".claude/rules"), { recursive: true });
    writeFileSync(join(cwd, "a.ts"), "one\n");
    for (const [index, text] of slowTexts.entries())
      writeFileSync(join(cwd, `.claude/rules/r${index}.md`), `---\npaths: "**/*.ts"\n---\n${text}`);
    const session = openEngine({ cwd });
    await session.record({ type: "file_read", path: join(cwd, "a.ts") });
    let said = 0;
    const held = await longestHold(async () => {
      for (let count = 0; count < 3; count += 1) {
        const turn = await session.turn();
        said += turn.reminders.length;
        await turn.commit();
      }
    });
    await session.close();
    expect(said).toBeGreaterThan(0);
    expect(held).toBeLessThan(MOST_MS);
  });
});
