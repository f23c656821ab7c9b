// @anthropic-ai/sdk: `new Anthropic({ middleware: [reminders(session)] })`. The same with its Bedrock, Vertex and
// Foundry clients, which rewrite and sign after the middleware.

import { anthropicMessages } from "../dialects/anthropic-messages.ts";
import { checkReminders, type RemindOptions, type SessionOf } from "./remind.ts";
import { createRemindCall, withLength } from "./remind-http.ts";

export type { RemindOptions as RemindersOptions, SessionOf } from "./remind.ts";

/** The fields of a client's request that the middleware reads. */
export interface ClientRequest {
  url: string;
  method?: string;
  headers: Headers;
  body?: unknown;
  signal?: AbortSignal | null;
}

/** Middleware as the Anthropic client takes it. */
export type RemindersMiddleware = <Given extends ClientRequest>(
  request: Given,
  next: (request: Given) => Promise<Response>,
) => Promise<Response>;

// Batches and token counts are below this address, and are left alone.
const MESSAGES = /\/v1\/messages$/u;

/** Middleware for the Anthropic client: puts reminders into every Messages request. */
export function reminders(session: SessionOf, options: RemindOptions = {}): RemindersMiddleware {
  checkReminders(session, options);
  const dialectAt = (address: string) => (MESSAGES.test(address) ? anthropicMessages : undefined);
  const remindCall = createRemindCall(session, { ...options, dialectAt });
  return (request, next) => {
    const { url, method, headers, body: given, signal } = request;
    const call = { url, method, headers, identity: headers, body: given, signal };
    return remindCall(call, (body) =>
      next(
        body === undefined || body === given ? request : { ...request, body, ...withLength(headers, body) },
      ),
    );
  };
}
