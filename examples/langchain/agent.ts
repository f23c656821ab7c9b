// An agent of langchain that reads files, and hears when one it has read was changed by somebody else.
//   npm install langchain @langchain/openai zod && OPENAI_API_KEY=… node agent.ts
// Sotto itself is installed as docs/guide/platforms.md says.

import { readFile, writeFile } from "node:fs/promises";
import { type BaseMessage, createAgent, createMiddleware, HumanMessage, tool } from "langchain";
import { createSession } from "sotto";
import { reminders } from "sotto/langchain";
import { z } from "zod";

// What the agent's tools mean: what it reads itself is no news to it.
const tools = { read_file: { does: "read", path: "path" } } as const;
const profile = { name: "mine", title: "My agent", tools, alreadySends: {}, names: {} };
const session = createSession({ cwd: process.cwd(), profile });
const agent = createAgent({
  model: "openai:gpt-5.6-sol",
  systemPrompt: "You answer questions about files.",
  tools: [
    tool(({ path }: { path: string }) => readFile(path, "utf8"), {
      name: "read_file",
      description: "Reads a file.",
      schema: z.object({ path: z.string() }),
    }),
  ],
  middleware: [createMiddleware(reminders(session))],
});

await writeFile("notes.txt", "one note\n");
let messages: BaseMessage[] = [];
for (const prompt of ["What is in notes.txt?", "And now?"]) {
  ({ messages } = await agent.invoke({ messages: [...messages, new HumanMessage(prompt)] }));
  console.log(messages.at(-1)?.text);
  await writeFile("notes.txt", "one note\nanother note\n");
}
await session.close();
