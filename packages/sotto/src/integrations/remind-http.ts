// A `fetch` that adds reminders to requests to a model's API, and passes on everything else.

import type { Dialect } from "../dialects/dialect.ts";
import type { Turn } from "../engine/turn.ts";
import { errorText } from "../platform/errors.ts";
import { type BodyText, createReadBody } from "./body-text.ts";
import { notify, type RemindOptions, remind, type SessionOf } from "./remind.ts";

export type Fetch = typeof globalThis.fetch;

export interface FetchOptions extends CallOptions {
  /** Sends the requests. Default: the platform's `fetch`. */
  fetch?: Fetch | undefined;
}

export function remindFetch(of: SessionOf, options: FetchOptions): Fetch {
  const remindCall = createRemindCall(of, options);
  return async (input, init) => {
    // Looked up now: some hosts replace it later.
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
  // A copy is read: the request itself stays usable if nothing is added.
  return { ...call, body: await textOf(request) };
}

async function textOf(request: Request): Promise<string | undefined> {
  try {
    return await request.clone().text();
  } catch {
    return undefined;
  }
}

/** Changes headers only if they have the body's length; otherwise they are the client's own. */
export function withLength(headers: Headers, body: string): { headers?: Headers } {
  if (!headers.has("content-length")) return {};
  const longer = new Headers(headers);
  longer.set("content-length", String(new TextEncoder().encode(body).length));
  return { headers: longer };
}

// One HTTP call of a client to a model, whatever the client's extension point is called.

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
  /** The dialect for an address without its query; undefined: leave the requests alone. */
  dialectAt: (address: string) => Dialect | undefined;
}

/** Sends a call through `go`, with the body it should have. */
export type RemindCall = (
  call: Call,
  go: (body: string | undefined) => Promise<Response>,
) => Promise<Response>;

export function createRemindCall(of: SessionOf, options: CallOptions): RemindCall {
  const remindJson = createJsonReminder(of, options);
  const resend = createRetries();
  return async (call, go) => {
    const { url, headers, identity, body: given } = call;
    const dialect = dialectOf(call, options);
    if (dialect === undefined) return go(undefined);
    const problem = problemOf(call);
    if (problem !== undefined) notify(options.onProblem, problem);
    if (typeof given !== "string" || problem !== undefined) return go(undefined);

    const attempt = { url, given, headers, identity };
    const reminded = resend.earlier(attempt) ?? (await remindJson(dialect, given));
    if (reminded.turn !== undefined) return settled(reminded, go);
    resend.sent(attempt, reminded);
    const response = await go(reminded.text);
    if (!response.ok) return response;
    resend.answered(attempt);
    if (reminded.keptAs !== undefined) await noteId(response, reminded.keptAs);
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
  if (typeof body !== "string") return "the request body is not text: it was left unchanged";
  const isSigned = headers.has("x-amz-content-sha256") || headers.get("authorization")?.startsWith("AWS4-");
  return isSigned ? "the request is signed: a changed body would be refused" : undefined;
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

// The id of an answer, read from a copy: the client gets its own.

// Its first event repeats what was asked for, with all tools.
const MOST_READ = 4 * 2 ** 20;

/** Returns when the id is written down, or, for a stream, will be before its end. */
async function noteId(response: Response, keptAs: Turn["keptAs"]): Promise<void> {
  const note = (id: unknown) => (typeof id === "string" ? keptAs(id) : undefined);
  try {
    const copy = response.clone();
    if (response.headers.get("content-type")?.includes("text/event-stream"))
      void idInStream(copy).then(note, () => undefined);
    else await note(((await copy.json()) as { id?: unknown } | null)?.id);
  } catch {
    // It is not JSON, or was cut: the client finds that out by itself.
  }
}

async function idInStream({ body }: Response): Promise<unknown> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let length = 0;
  let rest = "";
  try {
    while (reader !== undefined && length < MOST_READ) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      length += value.length;
      const text = decoder.decode(value, { stream: true });
      rest += text;
      if (!text.includes("\n")) continue;
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      const id = lines.map(idInEvent).find((found) => found !== undefined);
      if (id !== undefined) return id;
    }
    return undefined;
  } finally {
    // The copy must not keep the answer coming when the client wants no more of it.
    void reader?.cancel().catch(() => undefined);
  }
}

function idInEvent(line: string): unknown {
  if (!line.startsWith("data:")) return undefined;
  try {
    return (JSON.parse(line.slice("data:".length)) as { response?: { id?: unknown } } | null)?.response?.id;
  } catch {
    return undefined;
  }
}

// A request as text, with reminders spliced in. What cannot be parsed is unchanged.

export interface RemindedJson {
  text: string;
  /**
   * Only if the provider keeps the conversation under one id: nothing else would show whether it was answered. A reply in
   * one piece is known when it starts; a stream is not.
   */
  turn?: Pick<Turn, "commit" | "abandon">;
  streams?: boolean;
  /** If the provider keeps the answer under an id: gets that id. */
  keptAs?: Turn["keptAs"];
}

export function createJsonReminder(of: SessionOf, options: RemindOptions) {
  const readBody = createReadBody();
  return async <Body>(dialect: Dialect<Body>, text: string): Promise<RemindedJson> => {
    let read: BodyText;
    try {
      read = readBody(dialect.field, text);
    } catch (error) {
      notify(options.onProblem, `the request is not JSON: ${errorText(error)}`);
      return { text };
    }
    const body = read.body as Body;
    let turn = undefined as Turn | undefined;
    const onTurn = (taken: Turn) => {
      turn = taken;
      notify(options.onTurn, taken);
    };
    const reminded = await remind(of, { dialect, body }, { ...options, onTurn });
    const sent = { text: reminded === body ? text : read.write(reminded) };
    if (turn === undefined || turn.problem !== undefined) return sent;
    if (dialect.keepsAnswer?.(body)) return { ...sent, keptAs: turn.keptAs };
    if (dialect.kept?.(body)?.moves !== false) return sent;
    return { ...sent, turn, streams: (body as { stream?: unknown }).stream === true };
  };
}

// A failed call that the client retries has the same bytes, whatever happened in between.

export interface Attempt {
  url: string;
  /** From the client, unchanged. */
  given: string;
  headers: Headers;
  /** The client's own headers object: some send it again. */
  identity: unknown;
}

export interface Retries {
  /** What was sent in the previous attempt; undefined for a new call. */
  earlier(attempt: Attempt): RemindedJson | undefined;
  sent(attempt: Attempt, reminded: RemindedJson): void;
  /** It was answered. */
  answered(attempt: Attempt): void;
}

// Each holds a whole request. If more fail at once, the engine produces the same bytes, plus what is new.
const ATTEMPTS_MOST = 16;

export function createRetries(): Retries {
  let failed: (Attempt & { reminded: RemindedJson })[] = [];
  return {
    earlier: (attempt) => failed.find((one) => isSameCall(one, attempt) && isAgain(one, attempt))?.reminded,
    sent(attempt, reminded) {
      const others = failed.filter((one) => !isSameCall(one, attempt));
      failed = [{ ...attempt, reminded }, ...others].slice(0, ATTEMPTS_MOST);
    },
    answered(attempt) {
      failed = failed.filter((one) => !isSameCall(one, attempt));
    },
  };
}

function isSameCall(one: Attempt, other: Attempt): boolean {
  return one.given === other.given && one.url === other.url;
}

/** Some clients count their attempts in a header, some send the same headers again. */
function isAgain({ identity }: Attempt, { identity: another, headers }: Attempt): boolean {
  const count = Number(headers.get("x-stainless-retry-count") ?? 0);
  return count > 0 || (identity !== undefined && identity === another);
}
