// One HTTP call of a client on its way to a model, whatever the client calls its extension point.

import type { Dialect } from "../dialects/dialect.ts";
import { type RemindOptions, type SessionOf, tell } from "./remind.ts";
import { createJsonReminder, type RemindedJson } from "./remind-json.ts";
import { createResend } from "./resend.ts";

export interface Call {
  url: string;
  method: string | undefined;
  headers: Headers;
  /** The client's own headers object. */
  identity: unknown;
  body: unknown;
  signal?: AbortSignal | null | undefined;
}

export interface CallOptions extends RemindOptions {
  /** The dialect of the requests to an address, its query cut off; nothing: they are left alone. */
  dialectAt: (address: string) => Dialect | undefined;
}

/** Sends a call by `go`, with the body that it is to have. */
export type RemindCall = (
  call: Call,
  go: (body: string | undefined) => Promise<Response>,
) => Promise<Response>;

export function createRemindCall(of: SessionOf, options: CallOptions): RemindCall {
  const remindJson = createJsonReminder(of, options);
  const resend = createResend();
  return async (call, go) => {
    const { url, headers, identity, body: given } = call;
    const dialect = dialectOf(call, options);
    if (dialect === undefined) return go(undefined);
    const problem = problemOf(call);
    if (problem !== undefined) tell(options.onProblem, problem);
    if (typeof given !== "string" || problem !== undefined) return go(undefined);

    const attempt = { url, given, headers, identity };
    const earlier = resend.earlier(attempt);
    const reminded = earlier === undefined ? await remindJson(dialect, given) : { text: earlier };
    if (reminded.turn !== undefined) return settled(reminded, go);
    resend.sent(attempt, reminded.text);
    const response = await go(reminded.text);
    if (response.ok) resend.answered(attempt);
    return response;
  };
}

export function isRemindable(call: Pick<Call, "url" | "method">, { dialectAt }: CallOptions): boolean {
  return dialectOf(call, { dialectAt }) !== undefined;
}

function dialectOf(
  { url, method, signal }: Pick<Call, "url" | "method" | "signal">,
  { dialectAt }: CallOptions,
): Dialect | undefined {
  if (method?.toUpperCase() !== "POST" || signal?.aborted === true) return undefined;
  return dialectAt(url.replace(/[?#].*$/su, ""));
}

function problemOf({ headers, body }: Call): string | undefined {
  if (typeof body !== "string") return "the request's body is no text: it was left as it is";
  const isSigned = headers.has("x-amz-content-sha256") || headers.get("authorization")?.startsWith("AWS4-");
  return isSigned ? "the request is signed: another body would be refused" : undefined;
}

async function settled(
  { text, turn, streams }: RemindedJson,
  go: (body: string) => Promise<Response>,
): Promise<Response> {
  try {
    const response = await go(text);
    if (!response.ok) void turn?.abandon();
    else if (!streams) void turn?.commit();
    return response;
  } catch (error) {
    void turn?.abandon();
    throw error;
  }
}
