// @mastra/core: an input processor adds reminders to the prompt of each model call; memory has none.

import { aiSdk } from "../dialects/ai-sdk.ts";
import type { Turn } from "../engine/turn.ts";
import { bare, conversationAt, type Messages } from "./ai-sdk-prompt.ts";
import { checkReminders, notify, type RemindOptions, remind, type SessionFor, sessionFor } from "./remind.ts";

export type { RemindOptions as RemindersOptions } from "./remind.ts";

/** What a processor gets of a model call; `requestContext` tells conversations apart. */
export interface ModelRequest {
  prompt: unknown;
  model?: unknown;
  requestContext?: unknown;
  /** The same object for a request and its answer. */
  state?: object;
}

/** A processor as Mastra's `Agent` takes it. */
export interface RemindersProcessor {
  readonly id: "sotto";
  readonly name: string;
  /** Puts reminders into a request. */
  processLLMRequest<Prompt>(
    request: ModelRequest & { prompt: Prompt },
  ): Promise<{ prompt: Prompt } | undefined>;
  /** Confirms the reminders when the model has answered. */
  processLLMResponse(answer: { state?: object }): Promise<undefined>;
}

/** For `inputProcessors`. */
export function reminders(of: SessionFor<ModelRequest>, options: RemindOptions = {}): RemindersProcessor {
  checkReminders(of, options);
  // Not in the state, which is persisted for durable agents.
  const turns = new WeakMap<object, Turn>();
  return {
    id: "sotto",
    name: "Sotto",
    async processLLMRequest(request) {
      const before = request.prompt as Messages;
      const onTurn = (turn: Turn) => {
        if (request.state !== undefined) turns.set(request.state, turn);
        notify(options.onTurn, turn);
      };
      const prompt = await withReminders(sessionFor(of, request), before, { ...options, onTurn });
      if (prompt === before) return undefined;
      const written = takesNamedData(request.model) ? prompt : bare(prompt, before);
      return { prompt: written as typeof request.prompt };
    },
    async processLLMResponse({ state }) {
      if (state === undefined) return undefined;
      const turn = turns.get(state);
      turns.delete(state);
      await turn?.commit();
      return undefined;
    },
  };
}

/** Mastra rewrites instructions and working memory each time: they are not part of the history. */
async function withReminders(
  session: Parameters<typeof remind>[0],
  messages: Messages,
  options: RemindOptions,
): Promise<Messages> {
  const start = conversationAt(messages);
  if (start === undefined) return messages;
  const body = { messages: start === 0 ? messages : messages.slice(start) };
  const filled = await remind(session, { dialect: aiSdk, body }, options);
  return filled === body ? messages : [...messages.slice(0, start), ...filled.messages];
}

/** Prompts have the format of the model's version; from the fourth on, data is named. */
function takesNamedData(model: unknown): boolean {
  const { specificationVersion } = (model ?? {}) as { specificationVersion?: unknown };
  return specificationVersion === "v4";
}
