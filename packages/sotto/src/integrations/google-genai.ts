// @google/genai: `new GoogleGenAI({ httpOptions: { fetch: reminders(session) } })`, with a key or through Vertex AI.

import { geminiRequest } from "../dialects/gemini.ts";
import { checkReminders, fetchOptions, type RemindOptions, type SessionOf } from "./remind.ts";
import { type Fetch, remindFetch } from "./remind-http.ts";

export type { SessionOf } from "./remind.ts";

/** What `reminders` takes. */
export interface RemindersOptions extends RemindOptions {
  /** Sends the requests. Default: the platform's `fetch`. */
  fetch?: Fetch;
}

const GENERATES = /:(?:generateContent|streamGenerateContent)$/u;

/** A `fetch` for the Google client that puts reminders into every request. */
export function reminders(session: SessionOf, options: RemindersOptions = {}): Fetch {
  checkReminders(session, options, fetchOptions);
  const dialectAt = (address: string) => (GENERATES.test(address) ? geminiRequest : undefined);
  return remindFetch(session, { ...options, fetch: options.fetch ?? patientFetch, dialectAt });
}

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

/**
 * An answer may take any time, as when the SDK sends requests itself; the platform's `fetch` gives up after five minutes
 * without a byte. Without a dispatcher on the platform nothing changes.
 */
const patientFetch: Fetch = (input, init) => {
  const found = (globalThis as Record<symbol, unknown>)[Symbol.for("undici.globalDispatcher.1")];
  if (found === undefined || (init !== undefined && "dispatcher" in init)) return fetch(input, init);
  const dispatch: Dispatcher["dispatch"] = (options, handler) =>
    (found as Dispatcher).dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  return fetch(input, { ...init, dispatcher: { dispatch } } as RequestInit);
};
