// What the agent is given, what it can be asked, and what comes of a prompt.

import type { LanguageModel, ModelMessage } from "ai";
import { aiSdk, type Session, type Turn } from "sotto";
import { type Listener, showReminders, type TokenUsage } from "./agent-events.ts";
import { clearResults, summarise, tokensIn } from "./conversation/compact.ts";
import { endOfTurn, mended, noTranscript, type Transcript } from "./conversation/transcript.ts";
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
import type { PromptImages } from "./prompt-images.ts";
import type { Tool, ToolResult } from "./tools/tool.ts";

export interface AgentOptions {
  session: Session;
  /** Looked at for every call, as its window and its price are: a person may choose another one. */
  readonly model: LanguageModel;
  /**
   * Asked for with every call, and the same unless somebody means to pay for the cache anew. `tag`: what stands around
   * reminders.
   */
  system(tag: string): string;
  /** Looked at for every call: they may become more. */
  readonly tools: readonly Tool[];
  /** In tokens. */
  readonly window: number;
  readonly price?: Price | undefined;
  listen: Listener;
  execute(call: ToolCall, signal: AbortSignal): Promise<ToolResult>;
  hooks?: HookPoints;
  /** What of a prompt is an image; nothing unless given. */
  images?: PromptImages;
  transcript?: Transcript;
  /** Where it goes on from. */
  messages?: readonly ModelMessage[];
  turns?: ReadonlyMap<number, number>;
  /** Before each request is made: a chance to look at what may have changed. */
  beforeTurn?(): Promise<void>;
  /** How many model calls one prompt may take. */
  maxTurns?: number;
  /** Waits between tries; tests wait less. */
  wait?(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Agent {
  /** Works until the model has nothing more to do; never throws. */
  run(prompt: string, signal: AbortSignal): Promise<Outcome>;
  /** Typed while it works: heard with the next call, or worked off next; after a stop, sent before the next prompt. */
  queue(prompt: string): void;
  compact(signal: AbortSignal): Promise<void>;
  /** Back to the end of a turn; false where it is not known any more. */
  rewind(turn: number): Promise<boolean>;
  /** Forgets the conversation; the session goes on, and what waits is still sent. */
  clear(): Promise<void>;
  /** Queued, and not answered yet. */
  readonly waiting: readonly string[];
  /** `known`: those it can go back to, in order. `latest`: the number of the last one, 0 before the first. */
  readonly turns: { readonly known: readonly number[]; readonly latest: number };
  /** By this process, since it began. */
  readonly spent: Readonly<Spent>;
  readonly messages: readonly ModelMessage[];
  /** The latest turn, for those who ask why something was or was not said. */
  readonly lastTurn: Turn<unknown> | undefined;
}

export interface Spent {
  calls: number;
  usage: TokenUsage;
  /** Nothing where the price is not known. */
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

// The agent: a conversation led turn by turn. Everything the model hears besides it comes from Sotto.

const TRIES = 5;
const MAX_TURNS = 100;
// Room for an answer and for what comes back after a summary.
const COMPACT_AT = 0.8;
const CLEAR_AT = 0.6;
// A hook that never lets the agent stop would never be stopped itself.
const MOST_GOING_ON = 8;
/** Said in the user's place where a hook holds up the end. */
export const GO_ON = "A hook holds up the end of this work: its reason stands beside this. Go on from there.";

export function createAgent(options: AgentOptions): Agent {
  const { session, listen, images, transcript = noTranscript, hooks = noHooks } = options;
  let messages: ModelMessage[] = mended(options.messages ?? []);
  const turns = new Map(options.turns ?? []);
  const queued: string[] = [];
  /** Recorded for a call that nobody has answered yet. */
  const unanswered: string[] = [];
  let latestTurn = Math.max(0, ...turns.keys());
  let size = tokensIn(messages);
  let queuedCount = 0;
  let spentUsd = 0;
  const spent: Spent = { calls: 0, usage: noUsage };
  let lastTurn: Turn<unknown> | undefined;

  const add = async (...added: ModelMessage[]) => {
    messages.push(...added);
    size += tokensIn(added);
    await transcript.append(...added.map((message) => ({ type: "message" as const, message })));
  };

  const replace = async (
    why: "compacted" | "results_cleared" | "rewound" | "cleared",
    now: ModelMessage[],
  ) => {
    messages = now;
    size = tokensIn(now);
    await transcript.append({ type: "replaced", why, messages: now });
  };

  const compact = async (signal: AbortSignal, trigger: CompactTrigger = "manual") => {
    const tokensBefore = size;
    // A prompt that nobody has answered yet is no part of what has been.
    const last = messages.at(-1);
    const open = last?.role === "user" && messages.length > 1 ? [last] : [];
    const past = messages.slice(0, messages.length - open.length);
    if (past.length === 0) return listen({ type: "notice", text: "there is nothing to summarise yet" });
    const held = await hooks.beforeCompact(trigger, signal);
    if (held !== undefined) return listen({ type: "notice", text: `a hook holds up the summary: ${held}` });
    const summary = await summarise({ session, model: options.model, messages: past, signal });
    await replace("compacted", [summary, ...open]);
    turns.clear();
    await session.record({ type: "compacted" });
    listen({ type: "compacted", tokensBefore, tokensAfter: size });
    await hooks.afterCompact(trigger, String(summary.content), signal);
  };

  const makeRoom = async (signal: AbortSignal) => {
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
      // The call itself may still fit; if it does not, the provider says so.
      listen({
        type: "notice",
        text: `the conversation could not be summarised: ${(error as Error).message}`,
      });
    }
  };

  /** What was typed meanwhile is told beside the results the model waits for. */
  const tellQueued = async (signal: AbortSignal) => {
    for (let prompt = await nextQueued(signal); prompt !== undefined; prompt = await nextQueued(signal)) {
      unanswered.push(prompt);
      await session.record({
        type: "prompt_queued",
        id: `${session.id}-q${++queuedCount}-${Date.now()}`,
        prompt: (await images?.queued(prompt)) ?? prompt,
      });
    }
  };

  /** The next prompt that hooks let through. Once the user stops the agent, the rest stays queued. */
  const nextQueued = async (signal: AbortSignal): Promise<string | undefined> => {
    for (let [prompt] = queued; prompt !== undefined; [prompt] = queued) {
      const refused = await hooks.prompt(prompt, signal);
      signal.throwIfAborted();
      queued.shift();
      if (refused === undefined) return prompt;
      listen({ type: "notice", text: `a hook refused the prompt: ${refused}` });
    }
    return undefined;
  };

  /** One model call: asked for, sent, and made again while that can help. */
  const call = async (userPrompt: string | undefined, signal: AbortSignal): Promise<ModelAnswer> => {
    // A call that is made again has the same reminders: they are told once.
    const told = new Set<string>();
    for (let attempt = 1; ; attempt++) {
      await options.beforeTurn?.();
      const body = { messages: withBreakpoint(messages) };
      const turn = await session.turn({
        dialect: aiSdk,
        body,
        // A summary, or a hook's word to go on, is nothing that anyone typed.
        userPrompt: userPrompt === undefined ? "" : ((await images?.mentioning(userPrompt)) ?? userPrompt),
      });
      lastTurn = turn;
      listen({ type: "turn_started", turn: turn.number, mode: (await session.state()).mode });
      showReminders(turn, { listen, told });
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
      // Behind it the model has heard what it was told, whatever becomes of the transcript.
      await turn.commit();
      await transcript.append({ type: "turn", turn: turn.number });
      await add(answer.message);
      return answer;
    }
  };

  /** Why the agent is to stop behind them, where a hook says so: then the calls that are left are not run. */
  const answerCalls = async (calls: readonly ToolCall[], signal: AbortSignal) => {
    const content = [];
    let stopped: string | undefined;
    for (const one of calls) {
      const result: ToolResult =
        stopped === undefined
          ? await options.execute(one, signal)
          : { text: "Not run: a hook stopped the agent.", isError: true };
      stopped ??= result.stopped;
      content.push({
        type: "tool-result" as const,
        toolCallId: one.callId,
        toolName: one.toolName,
        output: outputOf(result),
      });
    }
    await add({ role: "tool", content });
    return stopped;
  };

  const work = async (prompt: string, signal: AbortSignal, outcome: Outcome) => {
    const refused = await hooks.prompt(prompt, signal);
    signal.throwIfAborted();
    if (refused !== undefined) throw new Error(`a hook refused the prompt: ${refused}`);
    // What still waited when the last prompt ended was typed before this one.
    const prompts: string[] = [];
    for (let next = await nextQueued(signal); next !== undefined; next = await nextQueued(signal)) {
      prompts.push(next);
      await add({ role: "user", content: next });
    }
    let userPrompt: string | undefined = [...prompts, prompt].join("\n\n");
    let goneOn = 0;
    await add({ role: "user", content: prompt });
    for (let turn = 1; ; turn++) {
      if (turn > (options.maxTurns ?? MAX_TURNS))
        throw new Error(`stopped after ${turn - 1} turns (--max-turns)`);
      await makeRoom(signal);
      const answer = await call(userPrompt, signal);
      userPrompt = undefined;
      outcome.turns += 1;
      outcome.usage = addUsage(outcome.usage, answer.usage);
      const costUsd = costOf(outcome.usage, options.price);
      if (costUsd !== undefined) outcome.costUsd = costUsd;
      if (answer.text.trim() !== "") outcome.text = answer.text;
      size = Math.max(size, answer.usage.input + answer.usage.output);
      const callCost = costOf(answer.usage, options.price);
      spentUsd += callCost ?? 0;
      spent.calls += 1;
      spent.usage = addUsage(spent.usage, answer.usage);
      if (callCost !== undefined) spent.costUsd = spentUsd;
      await session.record({
        type: "usage_reported",
        usedTokens: size,
        totalTokens: options.window,
        ...(callCost === undefined ? {} : { usedUsd: spentUsd }),
      });
      listen({
        type: "turn_finished",
        turn: lastTurn?.number ?? 0,
        usage: answer.usage,
        ...(callCost === undefined ? {} : { costUsd: callCost }),
        mode: (await session.state()).mode,
      });
      if (answer.calls.length > 0) {
        const stopped = await answerCalls(answer.calls, signal);
        if (stopped !== undefined)
          return listen({ type: "notice", text: `a hook stopped the agent: ${stopped}` });
        await tellQueued(signal);
      } else {
        const next = await nextQueued(signal);
        if (next === undefined && !(await hooks.goesOn({ text: outcome.text, again: goneOn > 0 }, signal)))
          return;
        if (next === undefined && ++goneOn > MOST_GOING_ON)
          return listen({
            type: "notice",
            text: `ended all the same: hooks held it up ${MOST_GOING_ON} times`,
          });
        userPrompt = next;
        await add({ role: "user", content: next ?? GO_ON });
      }
    }
  };

  return {
    async run(prompt, signal) {
      const outcome: Outcome = { text: "", turns: 0, usage: noUsage };
      try {
        await work(prompt, signal, outcome);
      } catch (error) {
        messages = mended(messages);
        outcome.problem = signal.aborted ? "aborted" : (error as Error).message;
        listen(signal.aborted ? { type: "aborted" } : { type: "failed", message: outcome.problem });
      }
      const { text, turns: count, usage, costUsd } = outcome;
      listen({ type: "finished", text, turns: count, usage, ...(costUsd === undefined ? {} : { costUsd }) });
      return outcome;
    },
    queue: (prompt) => void queued.push(prompt),
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
      return [...unanswered, ...queued];
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
