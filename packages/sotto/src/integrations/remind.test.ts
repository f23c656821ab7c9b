import { createSession } from "sotto";
import { describe, expect, it } from "vitest";
import * as aiSdk from "./ai-sdk.ts";
import * as anthropic from "./anthropic.ts";
import * as claudeAgentSdk from "./claude-agent-sdk.ts";
import * as googleGenai from "./google-genai.ts";
import * as langchain from "./langchain.ts";
import * as mastra from "./mastra.ts";
import * as openai from "./openai.ts";
import * as openaiAgents from "./openai-agents.ts";

const session = createSession({ cwd: "/repo", home: "/nonexistent", configFiles: { read: false } });

type Make = (session: unknown, options?: unknown) => unknown;
const makers = Object.entries({
  aiSdk: aiSdk.reminders,
  aiSdkStep: aiSdk.remindersForStep,
  anthropic: anthropic.reminders,
  claudeAgentSdk: claudeAgentSdk.reminders,
  googleGenai: googleGenai.reminders,
  langchain: langchain.reminders,
  mastra: mastra.reminders,
  openai: openai.reminders,
  openaiAgents: openaiAgents.reminders,
}) as unknown as [string, Make][];

describe.each(makers)("what reminders takes: %s", (_name, reminders) => {
  it("its options, or none", () => {
    expect(() => reminders(session)).not.toThrow();
    expect(() => reminders(() => session, { onTurn: () => {}, onProblem: undefined })).not.toThrow();
  });

  it.each<[unknown, unknown, string]>([
    [
      "chat",
      {},
      "reminders: expected a session, as createSession returns it, or a function that returns one",
    ],
    [session, { onturn: () => {} }, 'reminders: onturn: no such option; did you mean "onTurn"?'],
    [session, { onTurn: 5 }, "reminders: onTurn: expected a function (turn) => void, got 5"],
  ])("and says at once what is wrong: %j, %j", (of, options, words) => {
    expect(() => reminders(of, options)).toThrow(words);
  });
});

it("a `when` that takes its time decides, too", async () => {
  const seen: string[] = [];
  const fetch = openai.reminders(session, {
    fetch: async () => new Response("{}"),
    when: (async () => false) as never,
    onTurn: () => void seen.push("turn"),
  });
  await fetch("http://x/v1/chat/completions", { method: "POST", body: '{"messages":[]}' });
  expect(seen).toEqual([]);
});
