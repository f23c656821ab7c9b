// An agent whose model hears what happens around it, by a middleware. Each argument is a prompt, one after the other:
//   ANTHROPIC_API_KEY=… node examples/ai-sdk/agent.ts "What does @notes.txt say?" "And now?"

import process from "node:process";
import { type ModelMessage, stepCountIs, streamText, wrapLanguageModel } from "ai";
import { createSession } from "sotto";
import { reminders } from "sotto/ai-sdk";
import { chooseModel, profile, tools } from "./tools.ts";

const session = createSession({ cwd: process.cwd(), profile });
const middleware = reminders(session, {
  onTurn: ({ reminders: said }) => {
    for (const { type } of said) console.error(`[reminder: ${type}]`);
  },
  onProblem: (problem) => console.error(`[no reminders: ${problem}]`),
});
const model = wrapLanguageModel({ model: chooseModel(), middleware });

// The history is the program's own: no reminder ever stands in it.
const messages: ModelMessage[] = [];
for (const prompt of process.argv.slice(2)) {
  messages.push({ role: "user", content: prompt });
  const result = streamText({ model, messages, tools, stopWhen: stepCountIs(20) });
  for await (const piece of result.textStream) process.stdout.write(piece);
  process.stdout.write("\n");
  messages.push(...(await result.responseMessages));
}
await session.close();
