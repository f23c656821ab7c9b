// A conversation through @openai/agents; the history is the host's own, or a session of the SDK's.

import { Agent, type AgentInputItem, MemorySession, OpenAIProvider, Runner, tool } from "@openai/agents";
import { reminders } from "sotto/openai-agents";
import { z } from "zod";
import { end, happen, onProblem, PROMPTS, provider, read, recording, session, url } from "./story.ts";

const agent = new Agent({
  name: "Mender",
  instructions: "You mend code.",
  model: "gpt-5",
  tools: [
    tool({
      name: "Read",
      description: "Reads a file.",
      parameters: z.object({ path: z.string() }),
      execute: read,
    }),
  ],
});
const runner = new Runner({
  modelProvider: new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: "none" }),
  callModelInputFilter: reminders(
    recording(({ modelData }) => modelData),
    { onProblem },
  ),
  tracingDisabled: true,
});

const memory = new MemorySession();
/** Where the provider keeps the conversation. */
const kept = reminders(session, { onProblem, conversation: "one" });
let previousResponseId: string | undefined;
let history: AgentInputItem[] = [];
for (let prompt = 0; prompt < PROMPTS; prompt++) {
  await happen(prompt);
  const words = `Go on ${prompt}.`;
  if (provider === "sdk-session") await runner.run(agent, words, { session: memory });
  else if (provider === "kept") {
    const result = await runner.run(agent, words, {
      callModelInputFilter: kept,
      ...(previousResponseId === undefined ? {} : { previousResponseId }),
    });
    previousResponseId = result.lastResponseId;
  } else if (provider === "streamed") {
    const result = await runner.run(agent, [...history, { role: "user", content: words }], { stream: true });
    await result.completed;
    history = result.history;
  } else history = (await runner.run(agent, [...history, { role: "user", content: words }])).history;
}
await end(provider === "sdk-session" ? await memory.getItems() : history);
