// The same where a model cannot be wrapped, such as one of an agent by its name: reminders before each step.
//   MODEL=openai/gpt-5.6-sol OPENAI_API_KEY=… node examples/ai-sdk/steps.ts "What does @notes.txt say?" "And now?"

import process from "node:process";
import { type ModelMessage, ToolLoopAgent } from "ai";
import { createSession } from "sotto";
import { remindersForStep } from "sotto/ai-sdk";
import { chooseModel, profile, tools } from "./tools.ts";

const session = createSession({ cwd: process.cwd(), profile });
const agent = new ToolLoopAgent({ model: chooseModel(), tools, prepareStep: remindersForStep(session) });

const messages: ModelMessage[] = [];
for (const prompt of process.argv.slice(2)) {
  messages.push({ role: "user", content: prompt });
  const result = await agent.generate({ messages });
  console.log(result.text);
  messages.push(...result.responseMessages);
}
await session.close();
