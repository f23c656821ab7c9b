// langchain: a middleware adds reminders to the messages of each model call; the agent's state has none.

import { type LangchainBody, type LangchainMessage, langchain } from "../dialects/langchain.ts";
import type { Turn } from "../engine/turn.ts";
import { checkReminders, notify, type RemindOptions, remind, type SessionFor, sessionFor } from "./remind.ts";

export type { RemindOptions as RemindersOptions } from "./remind.ts";
export { type LangchainBody, type LangchainMessage, langchain };

/** What a middleware gets of a model call; `state` and `runtime` tell conversations apart. */
export interface ModelRequest {
  messages: object[];
  tools?: readonly unknown[];
  state?: unknown;
  runtime?: unknown;
}

/** Middleware as LangChain's `createAgent` takes it. */
export interface RemindersMiddleware {
  name: string;
  /** Puts reminders into a call of the model, and confirms them when it answers. */
  wrapModelCall<Request extends ModelRequest, Answer>(
    request: Request,
    handler: (request: Request) => Answer | Promise<Answer>,
  ): Promise<Answer>;
}

/** For `createMiddleware`. */
export function reminders(of: SessionFor<ModelRequest>, options: RemindOptions = {}): RemindersMiddleware {
  checkReminders(of, options);
  return {
    name: "sotto",
    async wrapModelCall(request, handler) {
      const before = request.messages as unknown as readonly LangchainMessage[];
      const turns: Turn[] = [];
      const onTurn = (turn: Turn) => {
        turns.push(turn);
        notify(options.onTurn, turn);
      };
      const body = { messages: before, ...(request.tools === undefined ? {} : { tools: request.tools }) };
      const { messages } = await remind(
        sessionFor(of, request),
        { dialect: langchain, body },
        { ...options, onTurn },
      );
      const answer = await handler(
        messages === before ? request : { ...request, messages: messages as unknown as object[] },
      );
      await Promise.all(turns.map((turn) => turn.commit()));
      return answer;
    },
  };
}
