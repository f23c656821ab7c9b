// The agent's loop. `run` works on one prompt: it makes room, calls the model with the reminders that are due, runs the
// tools the model asks for, and repeats until the model asks for none.

import type { LanguageModel, ModelMessage } from "ai";
import { aiSdk, type Session, type Turn } from "sotto";
import { announceReminders, type Listener, type TokenUsage } from "./agent-events.ts";
import { clearResults, summarise, tokensIn } from "./conversation/compact.ts";
import {
  addMissingResults,
  addResults,
  endOfTurn,
  noTranscript,
  type QueuedPrompt,
  type Transcript,
} from "./conversation/transcript.ts";
import { type CompactTrigger, type HookPoints, noHooks } from "./hook-points.ts";
import {
  backOff,
  callModel,
  type ModelAnswer,
  ModelFailure,
  outputOf,
  pause,
  type ToolCall,
  withBreakpoint,
} from "./model/call-model.ts";
import { addUsage, costOf, noUsage, type Price } from "./model/model-facts.ts";
import { type GivenMentions, type Prompt, promptText } from "./prompt.ts";
import type { PromptImages } from "./prompt-images.ts";
import type { Tool, ToolResult } from "./tools/tool.ts";

// Attempts at one call before the failure is final.
const TRIES = 5;
const MAX_TURNS = 100;
// Leaves room for an answer and for the reminders that return after a summary.
const COMPACT_AT = 0.8;
const CLEAR_AT = 0.6;
// A hook that never lets the agent stop would loop for ever.
const MOST_CONTINUATIONS = 8;
/** Sent as the user's message when a hook does not let the agent stop. */
export const GO_ON = "A hook holds up the end of this work: its reason stands beside this. Go on from there.";

export interface AgentOptions {
  session: Session;
  /** Read for every call, like `window` and `price`: the user may switch models. */
  readonly model: LanguageModel;
  /** The system prompt. Keep it the same from call to call, or the prompt cache is lost. `tag`: the tag of reminders. */
  system(tag: string): string;
  /** Read for every call: MCP servers may add tools. */
  readonly tools: readonly Tool[];
  /** In tokens. */
  readonly window: number;
  readonly price?: Price | undefined;
  listen: Listener;
  execute(call: ToolCall, signal: AbortSignal): Promise<ToolResult>;
  hooks?: HookPoints;
  /** Finds the images in a prompt; default: none. */
  images?: PromptImages;
  /** Finds what text that the user did not type may mention; default: nothing. */
  givenMentions?: GivenMentions;
  transcript?: Transcript;
  /** The conversation to continue. */
  messages?: readonly ModelMessage[];
  turns?: ReadonlyMap<number, number>;
  /** Prompts that an earlier process had queued. */
  waiting?: readonly QueuedPrompt[];
  /** Called before each request, to look for changes. */
  beforeTurn?(): Promise<void>;
  /** The most model calls one prompt may take. */
  maxTurns?: number;
  /** Waits between retries; tests wait less. */
  wait?(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Agent {
  /** Works until the model has nothing more to do; never throws. A plain text is what the user typed. */
  run(prompt: string | Prompt, signal: AbortSignal): Promise<Outcome>;
  /** Adds a prompt typed while the agent works. It is sent with the next call or, after a stop, before the next prompt. */
  queue(prompt: string): void;
  compact(signal: AbortSignal): Promise<void>;
  /** Returns to the end of a turn; false when that turn is no longer in the conversation. */
  rewind(turn: number): Promise<boolean>;
  /** Empties the conversation. The session continues, and queued prompts are still sent. */
  clear(): Promise<void>;
  /** Prompts that were queued and not answered yet. */
  readonly waiting: readonly string[];
  /** `known`: turns that `rewind` accepts, in order. `latest`: the last turn's number, 0 before the first. */
  readonly turns: { readonly known: readonly number[]; readonly latest: number };
  /** By this process, since it started. */
  readonly spent: Readonly<Spent>;
  readonly messages: readonly ModelMessage[];
  /** The latest turn, for `/explain`. */
  readonly lastTurn: Turn<unknown> | undefined;
}

export interface Spent {
  calls: number;
  usage: TokenUsage;
  /** Absent when the price is not known. */
  costUsd?: number;
}

export interface Outcome {
  text: string;
  turns: number;
  usage: TokenUsage;
  costUsd?: number;
  /** Why it ended early. */
  problem?: string;
}

export function createAgent(options: AgentOptions): Agent {
  const { session, listen, images, transcript = noTranscript, hooks = noHooks } = options;
  let messages: ModelMessage[] = [...(options.messages ?? [])];
  const turns = new Map(options.turns ?? []);
  const queued: QueuedPrompt[] = [...(options.waiting ?? [])];
  /** Queued prompts that were recorded for a call that has no answer yet. */
  const unanswered: string[] = [];
  let latestTurn = Math.max(0, ...turns.keys());
  let size = tokensIn(messages);
  let queuedCount = 0;
  let spentUsd = 0;
  const spent: Spent = { calls: 0, usage: noUsage };
  let lastTurn: Turn<unknown> | undefined;

  /** The loop: one prompt, from the first call to the answer without tool calls. */
  async function work(prompt: string | Prompt, signal: AbortSignal, outcome: Outcome): Promise<void> {
    let userPrompt: string | undefined = await takePrompt(prompt, signal);
    let continuations = 0;
    for (let turn = 1; ; turn++) {
      if (turn > (options.maxTurns ?? MAX_TURNS))
        throw new Error(`stopped after ${turn - 1} turns (--max-turns)`);
      await makeRoom(signal);
      const answer = await call(userPrompt, signal);
      userPrompt = undefined;
      if (answer.text.trim() !== "") outcome.text = answer.text;
      await countUsage(answer.usage, outcome);
      if (answer.calls.length > 0) {
        const stopped = await answerCalls(answer.calls, signal);
        if (stopped !== undefined)
          return listen({ type: "notice", text: `a hook stopped the agent: ${stopped}` });
        await sendQueued(signal);
        continue;
      }
      const next = await nextQueued(signal);
      if (next === undefined) {
        const last = { text: outcome.text, again: continuations > 0 };
        if (!(await hooks.shouldContinue(last, signal))) return;
        if (++continuations > MOST_CONTINUATIONS)
          return listen({
            type: "notice",
            text: `stopped anyway: hooks kept the agent going ${MOST_CONTINUATIONS} times`,
          });
      }
      userPrompt = next?.text;
      await (next === undefined ? add({ role: "user", content: GO_ON }) : addQueued(next));
    }
  }

  /** Adds the prompt to the conversation, behind those still queued from before. Returns what counts as typed. */
  async function takePrompt(prompt: string | Prompt, signal: AbortSignal): Promise<string> {
    const text = promptText(prompt);
    const refused = await hooks.prompt(text, signal);
    signal.throwIfAborted();
    if (refused !== undefined) throw new Error(`a hook refused the prompt: ${refused}`);
    const prompts: string[] = [];
    for (let next = await nextQueued(signal); next !== undefined; next = await nextQueued(signal)) {
      prompts.push(next.text);
      await addQueued(next);
    }
    await add({ role: "user", content: text });
    const { typed, given } = typeof prompt === "string" ? { typed: prompt, given: "" } : prompt;
    return [...prompts, typed, (await options.givenMentions?.(given)) ?? ""].join("\n\n").trim();
  }

  /** Clears old tool results when the window fills up, and summarises the conversation when that is not enough. */
  async function makeRoom(signal: AbortSignal): Promise<void> {
    const { window } = options;
    if (size > window * CLEAR_AT) {
      const { messages: cleared, count } = clearResults(messages);
      if (count > 0) {
        await replace("results_cleared", cleared);
        await session.record({ type: "tool_results_cleared", count });
        listen({ type: "results_cleared", count });
      }
    }
    if (size <= window * COMPACT_AT || messages.length <= 2) return;
    try {
      await compact(signal, "auto");
    } catch (error) {
      signal.throwIfAborted();
      // The call may still fit; if not, the provider reports it.
      listen({
        type: "notice",
        text: `the conversation could not be summarised: ${(error as Error).message}`,
      });
    }
  }

  /** One model call, retried while that can help. A turn of Sotto adds the reminders; its commit confirms them. */
  async function call(userPrompt: string | undefined, signal: AbortSignal): Promise<ModelAnswer> {
    // A retry carries the same reminders: announce each once.
    const announced = new Set<string>();
    for (let attempt = 1; ; attempt++) {
      await options.beforeTurn?.();
      const body = { messages: withBreakpoint(messages) };
      const turn = await session.turn({
        dialect: aiSdk,
        body,
        // Nobody typed a summary, or the message that a hook makes the agent continue with.
        userPrompt: userPrompt === undefined ? "" : ((await images?.mentioning(userPrompt)) ?? userPrompt),
      });
      lastTurn = turn;
      listen({ type: "turn_started", turn: turn.number, mode: (await session.state()).mode });
      announceReminders(turn, { listen, announced });
      const answer = await callModel({
        model: options.model,
        system: options.system((await session.state()).reminderTag),
        messages: turn.body.messages as ModelMessage[],
        tools: options.tools,
        signal,
        onText: (text) => listen({ type: "text", text }),
        onReasoning: (text) => listen({ type: "reasoning", text }),
      }).catch(async (error: unknown) => {
        await turn.abandon();
        if (!(error instanceof ModelFailure) || !error.retryable || attempt >= TRIES) throw error;
        const waitMs = backOff(attempt, error.waitMs);
        listen({ type: "retrying", attempt, waitMs, why: error.message });
        await (options.wait ?? pause)(waitMs, signal);
      });
      if (answer === undefined) continue;
      turns.set(turn.number, messages.length);
      latestTurn = turn.number;
      unanswered.length = 0;
      // First the commit: the model has read the reminders, even if the transcript cannot be written.
      await turn.commit();
      await transcript.append({ type: "turn", turn: turn.number });
      await add(answer.message);
      return answer;
    }
  }

  async function countUsage(usage: TokenUsage, outcome: Outcome): Promise<void> {
    outcome.turns += 1;
    outcome.usage = addUsage(outcome.usage, usage);
    const total = costOf(outcome.usage, options.price);
    if (total !== undefined) outcome.costUsd = total;
    size = Math.max(size, usage.input + usage.output);
    const costUsd = costOf(usage, options.price);
    spentUsd += costUsd ?? 0;
    spent.calls += 1;
    spent.usage = addUsage(spent.usage, usage);
    if (costUsd !== undefined) spent.costUsd = spentUsd;
    await session.record({
      type: "usage_reported",
      usedTokens: size,
      totalTokens: options.window,
      ...(costUsd === undefined ? {} : { usedUsd: spentUsd }),
    });
    listen({
      type: "turn_finished",
      turn: lastTurn?.number ?? 0,
      usage,
      ...(costUsd === undefined ? {} : { costUsd }),
      mode: (await session.state()).mode,
    });
  }

  /** Runs the calls in order. When a hook stops the agent, the remaining calls are not run, and its reason is returned. */
  async function answerCalls(calls: readonly ToolCall[], signal: AbortSignal): Promise<string | undefined> {
    let stopped: string | undefined;
    for (const one of calls) {
      const result: ToolResult =
        stopped === undefined
          ? await options.execute(one, signal)
          : { text: "Not run: a hook stopped the agent.", isError: true };
      stopped ??= result.stopped;
      const { callId: toolCallId, toolName } = one;
      const output = outputOf(result);
      const message: ModelMessage = {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName, output }],
      };
      addResults(messages, message.content);
      await keep(message);
    }
    return stopped;
  }

  /** Records the prompts typed meanwhile: they are sent as reminders, beside the tool results. */
  async function sendQueued(signal: AbortSignal): Promise<void> {
    for (let next = await nextQueued(signal); next !== undefined; next = await nextQueued(signal)) {
      const { id, text } = next;
      unanswered.push(text);
      await session.record({ type: "prompt_queued", id, prompt: (await images?.queued(text)) ?? text });
      await transcript.append({ type: "taken", id });
    }
  }

  /** The next prompt that hooks let through. When the user stops the agent, the rest stays queued. */
  async function nextQueued(signal: AbortSignal): Promise<QueuedPrompt | undefined> {
    for (let [prompt] = queued; prompt !== undefined; [prompt] = queued) {
      const refused = await hooks.prompt(prompt.text, signal);
      signal.throwIfAborted();
      queued.shift();
      if (refused === undefined) return prompt;
      await transcript.append({ type: "taken", id: prompt.id });
      listen({ type: "notice", text: `a hook refused the prompt: ${refused}` });
    }
    return undefined;
  }

  async function compact(signal: AbortSignal, trigger: CompactTrigger = "manual"): Promise<void> {
    const tokensBefore = size;
    // A prompt without an answer is not part of the past.
    const last = messages.at(-1);
    const open = last?.role === "user" && messages.length > 1 ? [last] : [];
    const past = messages.slice(0, messages.length - open.length);
    if (past.length === 0) return listen({ type: "notice", text: "there is nothing to summarise yet" });
    const refused = await hooks.beforeCompact(trigger, signal);
    if (refused !== undefined)
      return listen({ type: "notice", text: `a hook refused the summary: ${refused}` });
    const summary = await summarise({ session, model: options.model, messages: past, signal });
    await replace("compacted", [summary, ...open]);
    turns.clear();
    await session.record({ type: "compacted" });
    listen({ type: "compacted", tokensBefore, tokensAfter: size });
    await hooks.afterCompact(trigger, String(summary.content), signal);
  }

  async function add(...added: ModelMessage[]): Promise<void> {
    messages.push(...added);
    await keep(...added);
  }

  /** In one write: a process that ends in between would send it twice, or never. */
  async function addQueued({ id, text }: QueuedPrompt): Promise<void> {
    const message: ModelMessage = { role: "user", content: text };
    messages.push(message);
    size += tokensIn([message]);
    await transcript.append({ type: "message", message }, { type: "taken", id });
  }

  async function keep(...added: ModelMessage[]): Promise<void> {
    size += tokensIn(added);
    await transcript.append(...added.map((message) => ({ type: "message" as const, message })));
  }

  async function replace(
    why: "compacted" | "results_cleared" | "rewound" | "cleared",
    now: ModelMessage[],
  ): Promise<void> {
    messages = now;
    size = tokensIn(now);
    await transcript.append({ type: "replaced", why, messages: now });
  }

  return {
    async run(prompt, signal) {
      const outcome: Outcome = { text: "", turns: 0, usage: noUsage };
      try {
        await work(prompt, signal, outcome);
      } catch (error) {
        addMissingResults(messages);
        outcome.problem = signal.aborted ? "aborted" : (error as Error).message;
        listen(signal.aborted ? { type: "aborted" } : { type: "failed", message: outcome.problem });
      }
      const { text, turns: count, usage, costUsd } = outcome;
      listen({ type: "finished", text, turns: count, usage, ...(costUsd === undefined ? {} : { costUsd }) });
      return outcome;
    },
    queue(text) {
      const prompt = { id: `${session.id}-q${++queuedCount}-${Date.now()}`, text };
      queued.push(prompt);
      // Without it only a process that is killed loses the prompt.
      transcript.append({ type: "queued", prompt }).catch(() => undefined);
    },
    compact: (signal) => compact(signal),
    async rewind(turn) {
      const count = turns.get(turn);
      if (count === undefined) return false;
      await replace("rewound", messages.slice(0, endOfTurn(messages, count)));
      for (const later of [...turns.keys()]) if (later > turn) turns.delete(later);
      latestTurn = turn;
      await session.record({ type: "rewound", toTurn: turn });
      return true;
    },
    async clear() {
      await replace("cleared", []);
      turns.clear();
      await session.record({ type: "session_started", reason: "clear" });
    },
    spent,
    get waiting() {
      return [...unanswered, ...queued.map(({ text }) => text)];
    },
    get turns() {
      return { known: [...turns.keys()].sort((a, b) => a - b), latest: latestTurn };
    },
    get messages() {
      return messages;
    },
    get lastTurn() {
      return lastTurn;
    },
  };
}
