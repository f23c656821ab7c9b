// The AI SDK, `ai` 6 and 7: reminders as a middleware around a language model, or before each step of a tool loop.

import { type AiSdkMessage, aiSdk } from "../dialects/ai-sdk.ts";
import type { Session } from "../engine/session.ts";
import type { Turn } from "../engine/turn.ts";
import { bare, conversationAt, type Messages } from "./ai-sdk-prompt.ts";
import { checkReminders, notify, type RemindOptions, remind } from "./remind.ts";

/** The parameters of a model call, or what `prepareStep` gets. */
export interface AiSdkRequest {
  /** Including system messages, if there are any. */
  readonly messages: readonly AiSdkMessage[];
  /** Of a model call; a step has none. */
  readonly tools?: readonly { readonly name: string }[] | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly [field: string]: unknown;
}

/** One session, or a function that returns the session of a request; undefined: it has none. */
export type AiSdkSession = Session | ((request: AiSdkRequest) => Found | Promise<Found>);
type Found = Session | undefined;

/** What `reminders` and `remindersForStep` take. */
export interface RemindersOptions extends Omit<RemindOptions, "when"> {
  /** Which requests belong to the conversation. Default: all. Exclude titles and summaries. */
  when?: (request: AiSdkRequest) => boolean;
}

/** For `wrapLanguageModel`, in either version. */
export interface RemindersMiddleware {
  /** Version 6 requires this one, version 7 accepts any. */
  readonly specificationVersion: "v3";
  /** Puts reminders into the prompt of a call. */
  transformParams<Params extends { prompt: unknown }>(options: {
    params: Params;
    model: { readonly specificationVersion: string };
  }): Promise<Params>;
}

/** For `prepareStep`, in either version; without reminders the step is unchanged. */
export type RemindersStep = <Message>(step: {
  messages: Message[];
}) => Promise<{ messages: Message[] } | undefined>;

/** Middleware for `wrapLanguageModel`: puts reminders into every call of the model. */
export function reminders(session: AiSdkSession, options: RemindersOptions = {}): RemindersMiddleware {
  checkReminders(session, options);
  return {
    specificationVersion: "v3",
    async transformParams({ params, model }) {
      const before = params.prompt as Messages;
      const request = { ...params, messages: before };
      const prompt = await withReminders(session, request, { ...options, place: "call" });
      if (prompt === before) return params;
      return { ...params, prompt: model.specificationVersion === "v3" ? bare(prompt, before) : prompt };
    },
  };
}

/** For `prepareStep`: puts reminders into the messages of every step. */
export function remindersForStep(session: AiSdkSession, options: RemindersOptions = {}): RemindersStep {
  checkReminders(session, options);
  return async <Message>(step: { messages: Message[] }) => {
    const before = step.messages as unknown as Messages;
    const request = { ...step, messages: before };
    const messages = await withReminders(session, request, { ...options, place: "step" });
    // Both versions accept this in a step, where the version cannot be known.
    return messages === before ? undefined : { messages: bare(messages, before) as unknown as Message[] };
  };
}

type Place = { place: "step" | "call" };

/** A model call has the system prompt before what a step has; without it both are the same conversation. */
async function withReminders(
  session: AiSdkSession,
  request: AiSdkRequest,
  options: RemindersOptions & Place,
): Promise<Messages> {
  const { messages } = request;
  const start = conversationAt(messages);
  if (start === undefined) return messages;
  const body = {
    messages: start === 0 ? messages : messages.slice(start),
    // A call has all its tools; a step does not know them.
    ...(options.place === "call" ? { tools: request.tools ?? [] } : {}),
  };
  const { when, onTurn, place, ...rest } = options;
  let preparing: Session | undefined;
  const find = async () => {
    const found = typeof session === "function" ? await session(request) : session;
    if (found === undefined || (place === "call" && isPrepared(found, body.messages))) return undefined;
    if (place === "step") preparing = found;
    return found;
  };
  let isDone = false;
  const done = (turn: Turn) => {
    notify(onTurn, turn);
    isDone = turn.problem === undefined;
  };
  const filled = await remind(
    find,
    { dialect: aiSdk, body },
    { ...rest, when: () => when?.(request) ?? true, onTurn: done },
  );
  if (preparing && isDone) prepared.set(preparing, [...preparedFor(preparing), wordsOf(filled.messages)]);
  return filled === body ? messages : [...messages.slice(0, start), ...filled.messages];
}

// The call follows its step at once; a few more for parallel conversations.
const PREPARED_KEPT = 8;
const prepared = new WeakMap<Session, readonly string[]>();
const preparedFor = (session: Session) => (prepared.get(session) ?? []).slice(-PREPARED_KEPT);

/** Whether a step has handled this request: between step and call the SDK rewrites everything but texts and ids. */
function isPrepared(session: Session, messages: Messages): boolean {
  return prepared.has(session) && preparedFor(session).includes(wordsOf(messages));
}

/** A hash of a request's texts and tool calls, as a number: histories are long. */
function wordsOf(messages: Messages): string {
  let [count, one, two] = [0, 0x811c9dc5, 0x9e3779b1];
  for (const { content } of messages) {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
    for (const part of parts as readonly { text?: string; toolCallId?: string; type: string }[]) {
      const words =
        part.type === "text" ? part.text : part.type === "tool-result" ? part.toolCallId : undefined;
      if (!words) continue;
      count += 1;
      for (let at = 0; at < words.length; at++) {
        one = Math.imul(one ^ words.charCodeAt(at), 0x01000193);
        two = Math.imul(two ^ words.charCodeAt(at), 0x85ebca6b) + count;
      }
    }
  }
  return `${count}.${one}.${two}`;
}
