// A conversation through @mastra/core, with a model of the AI SDK or one that Mastra calls itself.

import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { type ModelRequest, reminders } from "sotto/mastra";
import { z } from "zod";
import { end, happen, onProblem, PROMPTS, provider, read, recording, url } from "./story.ts";

const seen = recording(({ prompt, model }: ModelRequest) => {
  const { specificationVersion } = model as { specificationVersion: string };
  return { prompt, model: { specificationVersion } };
});
const agent = new Agent({
  id: "mender",
  name: "Mender",
  instructions: "You mend code.",
  model:
    provider === "anthropic"
      ? createAnthropic({ baseURL: `${url}/v1`, apiKey: "none" })("claude-test")
      : { id: "loopback/gpt-5", url: `${url}/v1`, apiKey: "none" },
  tools: {
    Read: createTool({
      id: "Read",
      description: "Reads a file.",
      inputSchema: z.object({ path: z.string() }),
      execute: read,
    }),
  },
  inputProcessors: [reminders(seen, { onProblem })],
});

const messages: Parameters<typeof agent.generate>[0] & unknown[] = [];
for (let prompt = 0; prompt < PROMPTS; prompt++) {
  await happen(prompt);
  messages.push({ role: "user", content: `Go on ${prompt}.` });
  const { response } = await agent.generate(messages);
  messages.push(...((response.messages ?? []) as typeof messages));
}
await end(messages);
