// The Claude Agent SDK with a rule of your own: it comes with the first file it is about, and once.
//   npm install @anthropic-ai/claude-agent-sdk && ANTHROPIC_API_KEY=… node agent.ts
// Sotto itself is installed as docs/guide/platforms.md says.

import { mkdir, writeFile } from "node:fs/promises";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { createSession, profiles } from "sotto";
import { reminders } from "sotto/claude-agent-sdk";

await mkdir(".sotto/reminders", { recursive: true });
await writeFile(
  ".sotto/reminders/notes.md",
  '---\npaths: ["*.txt"]\n---\nEvery note ends with a full stop.\n',
);
await writeFile("notes.txt", "one note\n");

// With this profile Sotto keeps quiet about what Claude Code tells its model itself.
const session = createSession({
  cwd: process.cwd(),
  agent: { kind: "main" },
  profile: profiles["claude-code"],
});
const hooks = reminders(session);
const options = { cwd: process.cwd(), model: "claude-sonnet-5-5", allowedTools: ["Read"], hooks };
for await (const message of query({ prompt: "What is in notes.txt?", options }))
  if (message.type === "result" && message.subtype === "success") console.log(message.result);
await session.close();
