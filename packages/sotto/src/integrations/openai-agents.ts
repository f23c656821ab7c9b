// @openai/agents: the SDK's input filter adds reminders to the items of each model call.

import * as v from "valibot";
import { type OpenAIAgentsBody, openaiAgents } from "../dialects/openai-agents.ts";
import type { Session } from "../engine/session.ts";
import { text } from "../platform/check-options.ts";
import { errorText } from "../platform/errors.ts";
import type { SessionFor } from "./remind.ts";
import { checkReminders, notify, optionsWith, type RemindOptions, remind } from "./remind.ts";

export { type OpenAIAgentsBody, openaiAgents };

/** What the SDK is about to send. */
export interface ModelInput {
  input: object[];
  instructions?: string;
}

/** What the SDK passes to its filter; `agent` and `context` tell runs apart. */
export interface ModelCall {
  modelData: ModelInput;
  agent?: unknown;
  context?: unknown;
}

/** What `reminders` takes. */
export interface RemindersOptions extends RemindOptions {
  /**
   * A name for the conversation if the provider keeps it, as with `conversationId` and `previousResponseId`: the SDK then
   * sends only what is new, and nothing in that says where it belongs.
   */
  conversation?: string;
}

/** A `callModelInputFilter`, as the OpenAI Agents SDK takes it. */
export interface InputFilter {
  <Call extends ModelCall>(call: Call): Promise<Call["modelData"]>;
  /** Nothing is changed in place, so that the SDK need not copy the whole conversation for each call. */
  preserveInputIdentity: true;
}

const agentsOptions = optionsWith({ conversation: v.optional(text("a name for the conversation")) });

/** For `callModelInputFilter`, of a runner or of one run. */
export function reminders(of: SessionFor<ModelCall>, options: RemindersOptions = {}): InputFilter {
  checkReminders(of, options, agentsOptions);
  const { conversation, ...rest } = options;
  const filter = async <Call extends ModelCall>(call: Call): Promise<Call["modelData"]> => {
    const { modelData } = call;
    try {
      const session = typeof of === "function" ? await of(call) : of;
      if (session === undefined) return modelData;
      const tools = toolsOf(call.agent);
      const body = await withoutKept(session, { input: modelData.input, conversation, tools });
      const filled = await remind(session, { dialect: openaiAgents, body }, rest);
      return filled === body ? modelData : { ...modelData, input: reused(filled.input, modelData.input) };
    } catch (error) {
      notify(rest.onProblem, errorText(error));
      return modelData;
    }
  };
  return Object.assign(filter, { preserveInputIdentity: true as const });
}

/** Tools that servers add are not known here. */
function toolsOf(agent: unknown): readonly object[] | undefined {
  const { tools } = (agent ?? {}) as { tools?: unknown };
  return Array.isArray(tools) ? tools : undefined;
}

// As long as a turn may take: a log that does not answer blocks nobody.
const WAIT_MS = 1000;

/** A `session` of the SDK stores what a filter adds before everything else of that run, not in its place. */
async function withoutKept(session: Session, body: OpenAIAgentsBody): Promise<OpenAIAgentsBody> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<OpenAIAgentsBody>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS, body);
  });
  try {
    return await Promise.race([session.withoutReminders(openaiAgents, body, { words: false }), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the SDK has stored already must be the same object, or it would be stored again. */
function reused(filled: readonly object[], given: readonly object[]): object[] {
  const sent = new Set(filled);
  const kept = new Map<string, object[]>();
  for (const item of given.filter((one) => !sent.has(one))) {
    const key = wordsOf(item);
    kept.set(key, [...(kept.get(key) ?? []), item]);
  }
  const known = new Set(given);
  return filled.map((item) => (known.has(item) ? item : (kept.get(wordsOf(item))?.shift() ?? item)));
}

function wordsOf(item: object): string {
  return JSON.stringify((item as { content?: unknown }).content ?? null);
}
