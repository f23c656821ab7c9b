// openai: `new OpenAI({ fetch: reminders(session) })`, for Responses and Chat Completions; also Azure's client, and
// every server that speaks these.

import type { Dialect } from "../dialects/dialect.ts";
import { openaiChat } from "../dialects/openai-chat.ts";
import { openaiResponses } from "../dialects/openai-responses.ts";
import type { RemindOptions, SessionOf } from "./remind.ts";
import { type Fetch, remindFetch } from "./remind-http.ts";

export type { SessionOf } from "./remind.ts";

/** What `reminders` takes. */
export interface RemindersOptions extends RemindOptions {
  /** What sends the requests; the platform's own unless given. */
  fetch?: Fetch;
}

/** A `fetch` for the OpenAI client that puts reminders into every request. */
export function reminders(session: SessionOf, options: RemindersOptions = {}): Fetch {
  return remindFetch(session, { ...options, dialectAt });
}

/** By the end of the address: what comes before it differs from server to server. */
function dialectAt(address: string): Dialect | undefined {
  if (/\/responses\/?$/u.test(address)) return openaiResponses;
  return /\/chat\/completions\/?$/u.test(address) ? openaiChat : undefined;
}
