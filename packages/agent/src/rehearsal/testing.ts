// Test helpers: a rehearsal of a few lines in a temporary directory. Both are removed after the test.

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, type LanguageModelUsage, type ModelMessage, streamText, type ToolSet, tool } from "ai";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { World } from "./act.ts";
import { parseScenario } from "./load-scenario.ts";
import { makeProject } from "./scenario.ts";
import { type Rehearsal, startRehearsal } from "./start-rehearsal.ts";

/** `body` starts on line 2 of `s.yaml`. */
export async function rehearse(body: string, world: World = {}): Promise<Rehearsal & { cwd: string }> {
  const scenario = parseScenario(`name: A test\n${body.trimStart()}`, "s.yaml");
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "sotto-rehearsal-")));
  await makeProject(scenario, cwd);
  const rehearsal = await startRehearsal(scenario, { cwd, world });
  onTestFinished(async () => {
    await rehearsal.close();
    await rm(cwd, { recursive: true });
  });
  return Object.assign(rehearsal, { cwd });
}

export function messages({ problems }: Rehearsal): string[] {
  return problems.map(({ message }) => message);
}

export function outcomes({ requests }: Rehearsal): string[] {
  return requests.map(({ conversation, status, outcome }) => `${conversation} ${status} ${outcome}`);
}

// A bare agent on the AI SDK: keeps a history; the test supplies tool results.

export interface TestAgentOptions {
  url: string;
  system?: string;
  maxRetries?: number;
  model?: string;
  /** Replaces fetch in the SDK. */
  fetch?: typeof globalThis.fetch;
}

export interface TestAnswer {
  text: string;
  reasoning: string | undefined;
  calls: { toolCallId: string; toolName: string; input: unknown }[];
  finishReason: string;
  usage: LanguageModelUsage;
  /** The number of streamed text pieces. */
  pieces: number;
}

export interface TestAgent {
  readonly history: ModelMessage[];
  /** Calls the model with a prompt, or with the history alone. */
  ask(words?: string, signal?: AbortSignal): Promise<TestAnswer>;
  /** The same without streaming. */
  askPlainly(words: string): Promise<string>;
  /** Adds results for the calls of the last answer, in order. */
  results(...texts: string[]): void;
}

const tools: ToolSet = Object.fromEntries(
  ["Read", "Edit", "Bash", "Task", "Glob"].map((name) => [
    name,
    tool({ description: name, inputSchema: z.record(z.string(), z.unknown()) }),
  ]),
);

export function createTestAgent(options: TestAgentOptions): TestAgent {
  const { url, system = "You are a coding agent.", maxRetries = 0, model = "rehearsal", fetch } = options;
  const provider = createAnthropic({ baseURL: url, apiKey: "none", ...(fetch && { fetch }) });
  const history: ModelMessage[] = [];
  let open: TestAnswer["calls"] = [];
  const settings = () => ({
    model: provider(model),
    instructions: system,
    messages: history,
    tools,
    maxRetries,
    maxOutputTokens: 4096,
  });

  return {
    history,
    async ask(words, signal) {
      if (words !== undefined) history.push({ role: "user", content: words });
      const result = streamText({
        ...settings(),
        ...(signal && { abortSignal: signal }),
        onError: () => undefined,
      });
      let pieces = 0;
      let text = "";
      for await (const part of result.stream) {
        if (part.type === "error") throw part.error;
        if (part.type === "abort") throw new Error("aborted");
        if (part.type !== "text-delta") continue;
        pieces++;
        text += part.text;
      }
      history.push(...(await result.responseMessages));
      open = (await result.toolCalls).map(({ toolCallId, toolName, input }) => ({
        toolCallId,
        toolName,
        input,
      }));
      const [reasoning, finishReason, usage] = await Promise.all([
        result.reasoningText,
        result.finishReason,
        result.usage,
      ]);
      return { text, reasoning, calls: open, finishReason, usage, pieces };
    },
    async askPlainly(words) {
      history.push({ role: "user", content: words });
      const result = await generateText(settings());
      history.push(...result.responseMessages);
      return result.text;
    },
    results(...texts) {
      const content = open.map(({ toolCallId, toolName }, index) => ({
        type: "tool-result" as const,
        toolCallId,
        toolName,
        output: { type: "text" as const, value: texts[index] ?? "" },
      }));
      history.push({ role: "tool", content });
    },
  };
}
