import { expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import { agentMention } from "./agent-mention.ts";

it("AC-2 names the agent", () => {
  expect(examplesAsRead(agentMention)).toMatchInlineSnapshot(`
    "# an agent
    <system-reminder>
    The user wants the agent "code-reviewer" used for this. Invoke it with Task, and hand it the context it needs.
    </system-reminder>"
  `);
});

it("AC-2 a name that holds line breaks stays on its line", () => {
  expect(asRead(agentMention, { agentType: "a\n\nb" })).toMatchInlineSnapshot(`
    "<system-reminder>
    The user wants the agent "a b" used for this. Invoke it with Task, and hand it the context it needs.
    </system-reminder>"
  `);
});
