// A conversation through @anthropic-ai/claude-agent-sdk, which drives its own Claude Code: one process for each prompt.

import { writeFile } from "node:fs/promises";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { createSession, profiles } from "sotto";
import { type HookInput, reminders } from "sotto/claude-agent-sdk";

const session = createSession({
  cwd: process.cwd(),
  agent: { kind: "main" },
  profile: profiles["claude-code"],
  config: { critical_instruction: "Run the tests before you commit." },
});
const problems: string[] = [];
/** `SCENARIO_RECORD` names a file for what the hooks were given. */
const recorded: HookInput[] = [];
const seen = (input: HookInput) => {
  recorded.push(input);
  return session;
};
const hooks = reminders(seen, { onProblem: (problem) => void problems.push(problem) });
const timestamp = "2026-11-15T10:00:00Z";
const answers: string[] = [];
let resume: string | undefined;

for (const [index, prompt] of ["Read the notes.", "Go on.", "Ask somebody.", "And on."].entries()) {
  if (index === 1)
    await session.record({
      type: "message_received",
      id: "m1",
      from: "ada",
      text: "Parser done.",
      timestamp,
    });
  const options = {
    ...{ cwd: process.cwd(), model: "claude-sonnet-4-5", allowedTools: ["Read", "Agent"], hooks },
    ...(resume === undefined ? {} : { resume }),
  };
  for await (const message of query({ prompt, options })) {
    if (message.type !== "result") continue;
    resume = message.session_id;
    answers.push(message.subtype === "success" ? message.result : message.subtype);
  }
}
await session.close();
const { SCENARIO_RECORD: file = "" } = process.env;
if (file !== "") await writeFile(file, JSON.stringify(recorded));
console.log(JSON.stringify({ problems, answers }));
