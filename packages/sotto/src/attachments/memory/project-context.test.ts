import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { projectContext } from "./project-context.ts";

describe("project_context, as the model reads it", () => {
  it("AC-2 in every variant", () => {
    expect(examplesAsRead(projectContext)).toMatchInlineSnapshot(`
      "# instructions of a project and its user
      <system-reminder>
      # instructionFiles
      The instruction files in force here. Follow them where they apply.

      Contents of /home/u/.claude/CLAUDE.md (user's private global instructions for all projects):

      Answer in short sentences.

      Contents of /repo/AGENTS.md (project instructions, checked into the codebase):

      Run \`npm test\` before you finish.

      Contents of /repo/CLAUDE.local.md (user's private project instructions, not checked in):

      My database is called dev2.
      </system-reminder>

      # Claude's instruction files alone
      <system-reminder>
      # claudeMd
      The instruction files in force here. Follow them where they apply.

      Contents of /repo/CLAUDE.md (project instructions, checked into the codebase):

      Use tabs.
      </system-reminder>

      # with sections of the host
      <system-reminder>
      # agentsMd
      The instruction files in force here. Follow them where they apply.

      Contents of /repo/AGENTS.md (project instructions, checked into the codebase):

      Use tabs.

      # gitStatus
      On branch main, nothing to commit.

      The other sections may or may not matter for what you are asked.
      </system-reminder>

      # one has changed since, one is new, one is gone
      <system-reminder>
      The instruction files in force here have changed since you were given them.

      Contents of /repo/AGENTS.md (project instructions, checked into the codebase), in place of what it said before:

      Use spaces.

      Contents of /repo/CLAUDE.local.md (user's private project instructions, not checked in), new:

      My database is called dev3.

      /repo/docs/style.md no longer applies here: what you were given from it is not in force any more.
      </system-reminder>

      # sections alone
      <system-reminder>
      # currentDate
      2026-11-15

      These sections may or may not matter for what you are asked.
      </system-reminder>"
    `);
  });
});
