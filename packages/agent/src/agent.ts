// What the agent is given, what it can be asked, and what comes of a prompt.

import type { LanguageModel, ModelMessage } from "ai";
import type { Session, Turn } from "sotto";
import type { Listener, TokenUsage } from "./agent-events.ts";
import type { Transcript } from "./conversation/transcript.ts";
import type { AgentHooks } from "./hook-points.ts";
import type { ToolCall } from "./model/call-model.ts";
import type { Price } from "./model/model-facts.ts";
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
  hooks?: AgentHooks;
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
