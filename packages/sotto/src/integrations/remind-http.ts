// A `fetch` that adds reminders to the requests of a model's API, and passes on everything else.

import type { SessionOf } from "./remind.ts";
import { type Call, type CallOptions, createRemindCall, isRemindable } from "./remind-call.ts";

export type Fetch = typeof globalThis.fetch;

export interface FetchOptions extends CallOptions {
  /** What sends the requests; the platform's own unless given. */
  fetch?: Fetch | undefined;
}

export function remindFetch(of: SessionOf, options: FetchOptions): Fetch {
  const remindCall = createRemindCall(of, options);
  return async (input, init) => {
    // Looked up now: some hosts put their own in place later.
    const fetch = options.fetch ?? globalThis.fetch;
    const call = await readCall(input, init, options);
    return remindCall(call, (body) =>
      body === undefined || body === call.body
        ? fetch(input, init)
        : fetch(input, { ...init, body, ...withLength(call.headers, body) }),
    );
  };
}

async function readCall(...[input, init, options]: [...Parameters<Fetch>, FetchOptions]): Promise<Call> {
  const request = typeof input === "object" && "url" in input ? input : undefined;
  const identity = init?.headers ?? request?.headers;
  const call = {
    url: request?.url ?? String(input),
    method: init?.method ?? request?.method,
    headers: new Headers(identity),
    identity,
    body: init?.body as unknown,
    signal: init?.signal ?? request?.signal,
  };
  if (request === undefined || call.body != null || !isRemindable(call, options)) return call;
  // A copy is read: the request itself stays as it is for the case that nothing is added.
  return { ...call, body: await textOf(request) };
}

async function textOf(request: Request): Promise<string | undefined> {
  try {
    return await request.clone().text();
  } catch {
    return undefined;
  }
}

/** Headers only where they say how long the body is; they are the client's own otherwise. */
export function withLength(headers: Headers, body: string): { headers?: Headers } {
  if (!headers.has("content-length")) return {};
  const longer = new Headers(headers);
  longer.set("content-length", String(new TextEncoder().encode(body).length));
  return { headers: longer };
}
