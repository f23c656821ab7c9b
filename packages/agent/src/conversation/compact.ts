// Makes room in the window: summarises the conversation, or clears old tool results.

import { generateText, type LanguageModel, type ModelMessage } from "ai";
import { aiSdk, type Session } from "sotto";
import { estimateTokens } from "sotto/internal";

const SUMMARISER = `You summarise the work of a coding agent so that it can continue from your summary alone.
Say, in this order and in plain sentences: what the user asked for, in their words where these matter; what was done and which files were changed; what was found out; what is still open and what the next step is. Messages that the user or team mates sent while the agent worked are marked as such: they belong to the conversation like everything else. Leave out greetings and what no longer matters.`;

const LONGEST_SUMMARY = 8000;
const SUMMARY = "The conversation so far was summarised to make room. The summary:";
const ASK = "Summarise the conversation above.";
// Recent results are still in use.
const RESULTS_KEPT = 8;
const WORTH_CLEARING = 400;
const CLEARED = "(cleared to make room; run the tool again if you need this)";

export interface CompactOptions {
  session: Session;
  model: LanguageModel;
  messages: readonly ModelMessage[];
  signal: AbortSignal;
}

/** Returns the one message that replaces the conversation. Reminders are left out, except what people said in them. */
export async function summarise({ session, model, messages, signal }: CompactOptions): Promise<ModelMessage> {
  const bare = await session.withoutReminders(aiSdk, { messages: messages as ModelMessage[] });
  const { text } = await generateText({
    model,
    instructions: SUMMARISER,
    messages: [...(bare.messages as ModelMessage[]), { role: "user", content: ASK }],
    maxOutputTokens: LONGEST_SUMMARY,
    abortSignal: signal,
    maxRetries: 3,
  });
  const summary = text.trim();
  if (summary === "") throw new Error("the summary was empty");
  return {
    role: "user",
    content: `${SUMMARY}\n\n${summary}\n\nGo on from there.`,
  };
}

export function isSummary({ role, content }: ModelMessage): boolean {
  return role === "user" && typeof content === "string" && content.startsWith(SUMMARY);
}

/** Replaces the text of old tool results, and counts them. */
export function clearResults(messages: readonly ModelMessage[]): { messages: ModelMessage[]; count: number } {
  const all = messages.flatMap((message, index) =>
    message.role === "tool" ? message.content.map((_, at) => `${index}.${at}`) : [],
  );
  const old = new Set(all.slice(0, -RESULTS_KEPT));
  let count = 0;
  const cleared = messages.map((message, index): ModelMessage => {
    if (message.role !== "tool") return message;
    const content = message.content.map((part, at) => {
      if (part.type !== "tool-result" || !old.has(`${index}.${at}`) || !isLong(part.output)) return part;
      count += 1;
      return { ...part, output: { type: "text" as const, value: CLEARED } };
    });
    return { ...message, content };
  });
  return count === 0 ? { messages: [...messages], count } : { messages: cleared, count };
}

/** An estimate, for use before a provider has counted. */
export function tokensIn(messages: readonly ModelMessage[]): number {
  return messages.reduce(
    (sum, { content }) =>
      sum + estimateTokens(typeof content === "string" ? content : JSON.stringify(content)),
    0,
  );
}

function isLong(output: { type: string; value?: unknown }): boolean {
  return JSON.stringify(output.value ?? "").length > WORTH_CLEARING;
}
