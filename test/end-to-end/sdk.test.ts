import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { anthropicMessages, createSession, openaiChat, type Session } from "sotto";
import { expect, it } from "vitest";
import { prefixOf } from "../support/prefix.ts";
import { startModelServer } from "../support/servers/model-server.ts";

const TURNS = 12;

/** Every third answer calls two tools at once. */
const script = (_body: unknown, index: number) =>
  index % 3 === 1
    ? {
        text: "Looking.",
        toolCalls: [
          { id: `call_${index}_a`, name: "Read", input: { file_path: "/repo/a.ts" } },
          { id: `call_${index}_b`, name: "Read", input: { file_path: "/repo/b.ts" } },
        ],
      }
    : { text: `Answer ${index}.` };

async function happen(session: Session, turn: number): Promise<void> {
  if (turn === 1) await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" });
  if (turn === 3)
    await session.record({
      type: "message_received",
      id: "m1",
      from: "ada",
      text: "Parser done.",
      timestamp: "2026-11-15T10:00:00Z",
    });
  if (turn === 5) await session.record({ type: "mode_changed", mode: "normal" });
  if (turn === 6)
    await session.record({ type: "task_finished", taskId: "t1", status: "failed", exitCode: 1 });
  if (turn === 8)
    await session.record({
      type: "prompt_queued",
      id: "p1",
      prompt: [
        { type: "text", text: "Like this:" },
        { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
      ],
    });
}

const config = { critical_instruction: "Run the tests before you commit." };

function expectSound(
  name: "anthropic-messages" | "openai-chat",
  requests: readonly { body: unknown }[],
): void {
  expect(requests).toHaveLength(TURNS);
  const prefixes = requests.map(({ body }) => prefixOf(name, body));
  prefixes.slice(1).forEach((prefix, index) => {
    expect(prefix.startsWith(prefixes[index] as string)).toBe(true);
  });
  const last = JSON.stringify(requests.at(-1)?.body);
  for (const once of ["Plan mode is on.", "Parser done.", "## Exited Plan Mode", "Task t1", "Like this:"])
    expect(last.split(once)).toHaveLength(2);
  expect(last.split(config.critical_instruction)).toHaveLength(TURNS + 1);
}

it("AC-1 AC-37 @anthropic-ai/sdk: reminders are in every request, requests are valid, each a prefix of the next", async () => {
  const server = await startModelServer({ provider: "anthropic", script });
  const client = new Anthropic({ baseURL: server.url, apiKey: "none", maxRetries: 0 });
  const session = createSession({ cwd: "/repo", agent: { kind: "main" }, config });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Mend the parser." }];
  for (let index = 0; index < TURNS; index++) {
    await happen(session, index);
    const body: Anthropic.MessageCreateParamsNonStreaming = {
      model: "claude-test",
      max_tokens: 1000,
      messages,
      tools: [{ name: "Read", input_schema: { type: "object" } }],
    };
    const turn = await session.turn({ dialect: anthropicMessages, body });
    const answer = await client.messages.create(turn.body);
    await turn.commit();
    const calls = answer.content.filter((block) => block.type === "tool_use");
    messages.push({ role: "assistant", content: answer.content as Anthropic.ContentBlockParam[] });
    if (calls.length === 0) messages.push({ role: "user", content: `Go on ${index}.` });
    else
      messages.push({
        role: "user",
        content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "export {};" })),
      });
  }
  await session.close();
  await server.close();
  expect(server.violations).toEqual([]);
  expectSound("anthropic-messages", server.requests);
});

it("AC-1 AC-37 openai, Chat Completions: reminders are in every request, requests are valid, each a prefix of the next", async () => {
  const server = await startModelServer({ provider: "openai-chat", script });
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
  const session = createSession({ cwd: "/repo", agent: { kind: "main" }, config });
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "You mend code." },
    { role: "user", content: "Mend the parser." },
  ];
  for (let index = 0; index < TURNS; index++) {
    await happen(session, index);
    const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
      model: "gpt-5",
      messages,
      tools: [{ type: "function", function: { name: "Read", parameters: { type: "object" } } }],
    };
    const turn = await session.turn({ dialect: openaiChat, body });
    const answer = await client.chat.completions.create(turn.body);
    await turn.commit();
    const message = answer.choices[0]?.message;
    if (message === undefined) throw new Error("no answer");
    messages.push({
      role: "assistant",
      content: message.content,
      ...(message.tool_calls ? { tool_calls: message.tool_calls } : {}),
    });
    for (const { id } of message.tool_calls ?? [])
      messages.push({ role: "tool", tool_call_id: id, content: "export {};" });
    if (message.tool_calls === undefined) messages.push({ role: "user", content: `Go on ${index}.` });
  }
  await session.close();
  await server.close();
  expect(server.violations).toEqual([]);
  expectSound("openai-chat", server.requests);
});
