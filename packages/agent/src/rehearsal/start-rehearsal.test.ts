// The rehearsal model behind the real SDK: answers, streams, failures, usage.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestAgent, messages, outcomes, rehearse } from "./testing.ts";

test("words, thoughts and tool calls arrive in a stream, with the directory filled in", async () => {
  const rehearsal = await rehearse(`
script:
  - user: Look at {{cwd}}/a.ts
  - assistant:
      thinking: Where is it?
      say: I will read the file in {{cwd}} first, and then tell what is in it.
      tools:
        - Read: { file_path: "{{cwd}}/a.ts", lines: [1, 2] }
        - Glob:
  - assistant: { say: It is short. }
`);
  const { cwd } = rehearsal;
  const agent = createTestAgent(rehearsal);
  const prompt = await rehearsal.nextPrompt();
  expect(prompt).toBe(`Look at ${cwd}/a.ts`);
  const first = await agent.ask(prompt);
  expect(first).toMatchObject({
    reasoning: "Where is it?",
    text: `I will read the file in ${cwd} first, and then tell what is in it.`,
    finishReason: "tool-calls",
    calls: [
      {
        toolCallId: "toolu_rehearsal_1",
        toolName: "Read",
        input: { file_path: `${cwd}/a.ts`, lines: [1, 2] },
      },
      { toolCallId: "toolu_rehearsal_2", toolName: "Glob", input: {} },
    ],
  });
  expect(first.pieces).toBeGreaterThan(1);
  agent.results("const a = 1;", "a.ts");
  expect(await agent.ask()).toMatchObject({ text: "It is short.", calls: [], finishReason: "stop" });
  expect(await rehearsal.nextPrompt()).toBeUndefined();
  expect(messages(rehearsal)).toEqual([]);
  const [kept] = rehearsal.requests;
  expect(kept).toMatchObject({ conversation: "main", status: 200, outcome: "answered" });
  expect(JSON.parse(String(kept?.raw))).toEqual(kept?.body);
  expect(kept?.answer?.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use", "tool_use"]);
});

test("it answers in one piece, too, says what it is, and says so when its script is over", async () => {
  const rehearsal = await rehearse("script:\n  - user: Hi\n  - assistant: { say: Hello. }\n");
  const agent = createTestAgent(rehearsal);
  expect(await agent.askPlainly("Hi")).toBe("Hello.");
  const over = await agent.askPlainly("Who are you?");
  expect(over).toMatch(/^This is a rehearsal, not a model: .*The script s\.yaml is over\./u);
  expect(over).toMatch(/set ANTHROPIC_API_KEY, .*sotto run --model/u);
  const model = { type: "model", id: "rehearsal", display_name: "Rehearsal: a script, not a model" };
  const list = await fetch(`${rehearsal.url}/models`);
  expect(await list.json()).toEqual({ data: [model], has_more: false });
  expect(messages(rehearsal)).toEqual([]);
  await expect(createTestAgent({ ...rehearsal, model: "claude-x" }).ask("Hi")).rejects.toThrow(
    "s.yaml: this is a rehearsal: its only model is rehearsal, not claude-x",
  );
});

test("failures come as often as they are asked for, and retries of the SDK get through", async () => {
  const rehearsal = await rehearse(`
script:
  - assistant:
      say: At last.
      fail: { with: 529, times: 2, retry_after_ms: 1 }
    meanwhile: [{ append: { path: log, content: x } }]
  - assistant: { fail: 401 }
  - assistant: { fail: cut }
  - assistant: { say: Here. }
`);
  const agent = createTestAgent({ ...rehearsal, maxRetries: 2 });
  expect((await agent.ask("Go")).text).toBe("At last.");
  expect(await readFile(join(rehearsal.cwd, "log"), "utf8")).toBe("x");
  await expect(agent.ask("On")).rejects.toThrow("Scripted failure: 401.");
  await expect(agent.ask()).rejects.toThrow();
  expect((await agent.ask()).text).toBe("Here.");
  expect(outcomes(rehearsal)).toEqual([
    "main 529 failed",
    "main 529 failed",
    "main 200 answered",
    "main 401 failed",
    "main 200 cut",
    "main 200 answered",
  ]);
  expect(messages(rehearsal)).toEqual([]);
});

test("usage is estimated or pretended, and the cache reads what the requests have in common", async () => {
  const rehearsal = await rehearse(`
window: 3000
script:
  - assistant: { say: x }
  - assistant: { say: y }
  - assistant: { say: z, usage: { input: 1000, output: 7, cache_read: 900 } }
`);
  const agent = createTestAgent(rehearsal);
  const first = await agent.ask("a ".repeat(200));
  const second = await agent.ask("Go on.");
  const third = await agent.ask("Go on.");
  const usages = [first, second, third].map(({ usage }) => usage);
  expect(usages.map(({ inputTokenDetails }) => inputTokenDetails.cacheReadTokens)).toEqual([
    ...[0, first.usage.inputTokens, 900],
  ]);
  expect(usages[1]?.inputTokens).toBeGreaterThan(first.usage.inputTokens ?? 0);
  expect(third.usage).toMatchObject({ inputTokens: 1000, outputTokens: 7 });
  await expect(agent.ask("word ".repeat(4000))).rejects.toThrow(
    /^prompt is too long: \d+ tokens > 3000 maximum$/u,
  );
});

test("a request that a provider would refuse is refused", async () => {
  const rehearsal = await rehearse("script:\n  - assistant: { say: x }\n");
  const post = async (body: string) => {
    const response = await fetch(`${rehearsal.url}/messages`, { method: "POST", body });
    return `${response.status} ${((await response.json()) as { error?: { message: string } }).error?.message}`;
  };
  const ask = (...messages: object[]) => JSON.stringify({ model: "rehearsal", messages });
  const called = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: {} }] };
  const result = { type: "tool_result", tool_use_id: "t1", content: "x" };
  const hi = { role: "user", content: "hi" };
  const answers = await Promise.all(
    [
      "{",
      ask(),
      ask({ role: "user" }),
      ask(hi, called, hi),
      ask({ role: "user", content: [result] }),
      ask(hi, called, { role: "user", content: [{ type: "text", text: "x" }, result] }),
    ].map(post),
  );
  expect(answers).toEqual([
    "400 messages: expected a non-empty list",
    "400 messages: expected a non-empty list",
    "400 messages.0: expected a role and content",
    "400 tool_use t1 has no tool_result in the next turn",
    "400 tool_result t1 has no tool_use in the previous turn",
    "400 tool_result blocks must come first in their turn",
  ]);
  expect(rehearsal.problems).toHaveLength(6);
  expect(await post(ask(hi, called, { role: "user", content: [result] }, hi))).toMatch(/^200/u);
});
