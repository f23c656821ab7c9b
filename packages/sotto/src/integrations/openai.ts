// openai: `new OpenAI({ fetch: reminders(session) })`, for Responses and Chat Completions; also for Azure's client and
// every compatible server.

import type { Dialect } from "../dialects/dialect.ts";
import { openaiChat } from "../dialects/openai-chat.ts";
import { openaiResponses } from "../dialects/openai-responses.ts";
import { checkReminders, fetchOptions, type RemindOptions, type SessionOf } from "./remind.ts";
import { type Fetch, remindFetch } from "./remind-http.ts";

export type { SessionOf } from "./remind.ts";

/** What `reminders` takes. */
export interface RemindersOptions extends RemindOptions {
  /** Sends the requests. Default: the platform's `fetch`. */
  fetch?: Fetch;
}

/** A `fetch` for the OpenAI client that puts reminders into every request. */
export function reminders(session: SessionOf, options: RemindersOptions = {}): Fetch {
  checkReminders(session, options, fetchOptions);
  return remindFetch(session, { ...options, dialectAt });
}

/** By the end of the address: the rest differs between servers. */
function dialectAt(address: string): Dialect | undefined {
  if (/\/responses\/?$/u.test(address)) return openaiResponses;
  return /\/chat\/completions\/?$/u.test(address) ? openaiChat : undefined;
}
