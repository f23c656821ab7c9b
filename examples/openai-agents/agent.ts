// An agent of @openai/agents that reads files, and hears when one it has read was changed by somebody else.
//   npm install @openai/agents zod && OPENAI_API_KEY=… node agent.ts
// Sotto itself is installed as docs/guide/platforms.md says.

import { readFile, writeFile } from "node:fs/promises";
import { Agent, type AgentInputItem, Runner, tool } from "@openai/agents";
import { createSession } from "sotto";
import { reminders } from "sotto/openai-agents";
import { z } from "zod";

// What the agent's tools mean: what it reads itself is no news to it.
const tools = { read_file: { does: "read", path: "path" } } as const;
const profile = { name: "mine", title: "My agent", tools, alreadySends: {}, names: {} };
const session = createSession({ cwd: process.cwd(), profile });
const runner = new Runner({ callModelInputFilter: reminders(session) });

const readFileTool = tool({
  name: "read_file",
  description: "Reads a file.",
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, "utf8"),
});
const agent = new Agent({
  name: "Reader",
  instructions: "You answer questions about files.",
  model: "gpt-5.6-sol",
  tools: [readFileTool],
});

await writeFile("notes.txt", "one note\n");
let history: AgentInputItem[] = [];
for (const prompt of ["What is in notes.txt?", "And now?"]) {
  const result = await runner.run(agent, [...history, { role: "user", content: prompt }]);
  console.log(result.finalOutput);
  history = result.history;
  await writeFile("notes.txt", "one note\nanother note\n");
}
await session.close();
