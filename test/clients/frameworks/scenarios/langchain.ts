// A conversation through langchain; its state is kept by a checkpointer.

import { ChatAnthropic } from "@langchain/anthropic";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, createMiddleware, tool } from "langchain";
import { type ModelRequest, reminders } from "sotto/langchain";
import { z } from "zod";
import { end, happen, onProblem, PROMPTS, provider, read, recording, url } from "./story.ts";

const models = {
  anthropic: () =>
    new ChatAnthropic({ model: "claude-test", apiKey: "none", anthropicApiUrl: url, maxRetries: 0 }),
  "openai-chat": () => openai(false),
  "openai-responses": () => openai(true),
};
const openai = (useResponsesApi: boolean) =>
  new ChatOpenAI({
    ...{ model: "gpt-5", apiKey: "none", maxRetries: 0, useResponsesApi, zdrEnabled: useResponsesApi },
    configuration: { baseURL: `${url}/v1` },
  });

const seen = recording(({ messages }: ModelRequest) => ({ messages: messages.map(plain) }));

/** Without what it was made from and what was noted beside it. */
function plain(message: object): object {
  const { lc_kwargs, lc_namespace, response_metadata, usage_metadata, ...fields } = { ...message } as Record<
    string,
    unknown
  >;
  return JSON.parse(JSON.stringify(fields));
}

const agent = createAgent({
  model: models[provider as keyof typeof models](),
  systemPrompt: "You mend code.",
  tools: [tool(read, { name: "Read", description: "Reads a file.", schema: z.object({ path: z.string() }) })],
  middleware: [createMiddleware(reminders(seen, { onProblem }))],
  checkpointer: new MemorySaver(),
});

const thread = { configurable: { thread_id: "one" } };
let state: Awaited<ReturnType<typeof agent.invoke>> | undefined;
for (let prompt = 0; prompt < PROMPTS; prompt++) {
  await happen(prompt);
  state = await agent.invoke({ messages: [{ role: "user", content: `Go on ${prompt}.` }] }, thread);
}
await end(state?.messages);
