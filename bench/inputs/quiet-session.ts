// Sessions that have nothing to say, and a check that it stays so.

import {
  anthropicMessages,
  type Config,
  createMemoryStore,
  createSession,
  type Session,
  type SessionOptions,
} from "sotto";
import { type Message, requestOf } from "./conversation.ts";

export interface QuietOptions {
  store?: SessionOptions["store"];
  id?: string;
  config?: Config;
}

/** All types are on, and a finished todo list is there: something to look at, nothing to say. */
export async function quietSession({
  store = createMemoryStore(),
  config = {},
  ...id
}: QuietOptions = {}): Promise<Session> {
  const session = createSession({
    ...id,
    cwd: "/repo",
    home: "/repo/home",
    agent: { kind: "main" },
    config: { enable_token_usage: true, ...config },
    store,
  });
  await session.record({
    type: "todos_written",
    items: [{ content: "Mend the parser", status: "completed" }],
  });
  return session;
}

/** One turn, checked and timed in milliseconds; committed after that. */
export async function quietTurn(session: Session, messages: readonly Message[]): Promise<number> {
  const body = requestOf(messages);
  const from = performance.now();
  const turn = await session.turn({ dialect: anthropicMessages, body: body as never });
  if (turn.problem !== undefined) throw new Error(turn.problem);
  if (turn.reminders.length > 0) throw new Error(`there was nothing to say: ${turn.reminders[0]?.type}`);
  if ((turn.body as typeof body).messages.length !== messages.length) throw new Error("the request changed");
  const took = performance.now() - from;
  await turn.commit();
  return took;
}
