// An agent of @mastra/core that reads files, and hears when one it has read was changed by somebody else.
//   npm install @mastra/core @ai-sdk/anthropic zod && ANTHROPIC_API_KEY=… node agent.ts
// Sotto itself is installed as docs/guide/platforms.md says.

import { readFile, writeFile } from "node:fs/promises";
import { anthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { createSession } from "sotto";
import { reminders } from "sotto/mastra";
import { z } from "zod";

// What the agent's tools mean: what it reads itself is no news to it.
const tools = { read_file: { does: "read", path: "path" } } as const;
const profile = { name: "mine", title: "My agent", tools, alreadySends: {}, names: {} };
const session = createSession({ cwd: process.cwd(), profile });
const read_file = createTool({
  id: "read_file",
  description: "Reads a file.",
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, "utf8"),
});
const agent = new Agent({
  ...{ id: "reader", name: "Reader", instructions: "You answer questions about files." },
  model: anthropic("claude-opus-4-8"),
  tools: { read_file },
  inputProcessors: [reminders(session)],
});

await writeFile("notes.txt", "one note\n");
const messages: Parameters<typeof agent.generate>[0] & unknown[] = [];
for (const prompt of ["What is in notes.txt?", "And now?"]) {
  messages.push({ role: "user", content: prompt });
  const { text, response } = await agent.generate(messages);
  messages.push(...((response.messages ?? []) as typeof messages));
  console.log(text);
  await writeFile("notes.txt", "one note\nanother note\n");
}
await session.close();
