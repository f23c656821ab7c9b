// The rehearsal's agent: asks for a turn, calls the model, runs its tools, and keeps a history without reminders.

import { anthropicMessages, type Session } from "sotto";
import type { Audience, Sent } from "./audience.ts";
import type { Expectations } from "./expectations.ts";
import { continues, type Given } from "./measure.ts";
import {
  type Block,
  BYTES_PER_TOKEN,
  type Message,
  type Received,
  type RehearsalServer,
  type RequestBody,
} from "./rehearsal-server.ts";
import type { Scene, Stage } from "./script.ts";
import { runTool, TOOLS, type ToolOptions } from "./tools.ts";

export interface Play {
  session: Session;
  server: RehearsalServer;
  expectations: Expectations;
  tools: ToolOptions;
  audience: Audience;
  signal: AbortSignal;
  history: Message[];
  given: Given[];
  /** The view each request of a turn belongs to, by its place among the received. */
  views: Map<number, number>;
}

// So small that a short session comes near its end.
export const WINDOW_TOKENS = 2400;

const REQUEST = {
  model: "rehearsal",
  max_tokens: 1000,
  system: "You are the agent of a rehearsal.",
  tools: TOOLS,
};

interface ModelAnswer {
  content: Block[];
  usage: { input_tokens: number; output_tokens: number };
}

export async function playScene(scene: Scene, stage: Stage, play: Play): Promise<void> {
  const { history, tools, audience, expectations } = play;
  play.signal.throwIfAborted();
  if (scene.compact) await compact(stage, play);
  await scene.before?.(stage);
  if (scene.user !== undefined) {
    audience.user(scene.user);
    history.push({ role: "user", content: scene.user });
  }
  const { content, usage } = await callModel(scene, play);
  expectations.answered();
  history.push({ role: "assistant", content });
  const usedTokens = usage.input_tokens + usage.output_tokens;
  await tools.record({ type: "usage_reported", usedTokens, totalTokens: WINDOW_TOKENS });
  const results: Block[] = [];
  for (const block of content) {
    if (block.type === "text") audience.model(String(block.text));
    if (block.type !== "tool_use") continue;
    const call = block as Block & { id: string; name: string; input: Record<string, unknown> };
    const result = await runTool(call, tools);
    audience.model(`calls ${call.name}${result.failed ? `, refused: ${result.content}` : ""}`);
    results.push({
      type: "tool_result",
      tool_use_id: call.id,
      content: result.content,
      is_error: result.failed,
    });
  }
  if (results.length > 0) history.push({ role: "user", content: results });
}

/** A failed call is given up, and the turn asked for again: the provider must get the same bytes. */
async function callModel(scene: Scene, play: Play): Promise<ModelAnswer> {
  const { session, server, views, expectations, given, audience } = play;
  const body = { ...REQUEST, messages: [...play.history] } as RequestBody & { messages: never };
  let failed: number | undefined;
  for (;;) {
    const userPrompt = scene.user === undefined ? {} : { userPrompt: scene.user };
    const turn = await session.turn({ dialect: anthropicMessages, body, ...userPrompt });
    if (turn.problem !== undefined) throw new Error(`the turn failed: ${turn.problem}`);
    given.push(...turn.reminders.map(({ id, type, text }) => ({ id, type, text, view: expectations.view })));
    const index = server.received.length;
    views.set(index, expectations.view);
    const response = await post(server, turn.body, play.signal);
    if (response.ok) {
      await turn.commit();
      audience.turn(turn, { ...sentAt(index, play), ...(failed === undefined ? {} : { failed }) });
      return (await response.json()) as ModelAnswer;
    }
    const words = await response.text();
    if (failed !== undefined || response.status === 400) throw new Error(`the call failed: ${words}`);
    failed = response.status;
    await turn.abandon();
  }
}

function sentAt(index: number, { server, views }: Play): Sent {
  const { raw, body } = server.received[index] as Received;
  const bytes = Buffer.byteLength(raw);
  const previous = [...views.keys()].findLast((one) => one < index);
  if (previous === undefined) return { bytes, prefix: "first" };
  if (views.get(previous) !== views.get(index)) return { bytes, prefix: "after compaction" };
  const before = server.received[previous] as Received;
  return { bytes, prefix: continues(before.body, body) ? "kept" : "broken", sameBytes: before.raw === raw };
}

/** The model sums the conversation up without the reminders in it; then only the summary is left. */
async function compact(stage: Stage, { session, server, history, signal, tools }: Play): Promise<void> {
  const whole = { ...REQUEST, system: "Sum this conversation up.", messages: [...history] };
  const body = await session.withoutReminders(anthropicMessages, whole as unknown as { messages: never });
  const { content } = (await (await post(server, body, signal)).json()) as ModelAnswer;
  const summary = content.map(({ text }) => String(text)).join("\n");
  history.splice(0, history.length, { role: "user", content: `What was done so far: ${summary} Go on.` });
  await stage.happens("the conversation is summed up, only the summary is left", { type: "compacted" });
  const bytes = JSON.stringify({ ...REQUEST, messages: history }).length;
  const usedTokens = Math.ceil(bytes / BYTES_PER_TOKEN);
  await tools.record({ type: "usage_reported", usedTokens, totalTokens: WINDOW_TOKENS });
}

function post(server: RehearsalServer, body: unknown, signal: AbortSignal): Promise<Response> {
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
  return fetch(server.url, { method: "POST", headers, body: JSON.stringify(body), signal });
}
