// Sends a request on and passes the answer back as it comes: not a byte of it is changed.

import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import type { Transform } from "node:stream";
import { endToEnd, upstreamHeaders } from "./headers.ts";
import type { KnownUpstream, Limits } from "./options.ts";
import { refuse } from "./refuse.ts";
import { lengthOf } from "./retries.ts";

export interface Outgoing {
  request: IncomingMessage;
  response: ServerResponse;
  upstream: KnownUpstream;
  path: string;
  /** The whole body, in pieces; without it the client's is passed on as it comes. */
  body?: readonly Buffer[];
  /** The body was compressed and is not any more. */
  decoded?: boolean;
  /** Headers in place of the client's, by names in lower case. */
  instead?: Readonly<Record<string, string>>;
}

export interface Watcher {
  /** The answer begins. It goes through what this returns. */
  onAnswer?(answer: IncomingMessage): Transform | undefined;
}

/** How it ended. `cut`: on the way, by either side. */
export interface Ended {
  status: number;
  cut: boolean;
  /** Why there was no answer. */
  problem?: string;
  /** It never left: nobody waited for it any more. */
  unsent?: true;
}

const LEFT = "the client left";

export interface Forwarder {
  forward(outgoing: Outgoing, watcher?: Watcher): Promise<Ended>;
  close(): void;
}

// Connections left alone are closed before the upstream does it: common servers close theirs after 5 s, providers behind
// TLS after minutes.
const IDLE_MS = 4000;
const IDLE_TLS_MS = 60_000;

export function createForwarder(limits: Sending["limits"]): Forwarder {
  const kept = { keepAlive: true, maxFreeSockets: 256, scheduling: "lifo" as const };
  const agents = {
    "http:": closingIdle(new http.Agent(kept), IDLE_MS),
    "https:": closingIdle(new https.Agent(kept), IDLE_TLS_MS),
  };
  return {
    forward: async (outgoing, watcher = {}) => {
      // The client left while the request was prepared, so `close` will not come again.
      if (outgoing.response.closed) return { status: 499, cut: true, problem: LEFT, unsent: true };
      return new Promise((resolve) => send({ ...outgoing, limits, agents, watcher, resolve }));
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function closingIdle<Agent extends http.Agent>(agent: Agent, ms: number): Agent {
  // The agent closes idle connections that time out. Some servers tell it when that is.
  agent.on("free", (socket: Socket) => {
    if (!socket.timeout || socket.timeout > ms) socket.setTimeout(ms);
  });
  return agent;
}

interface Sending extends Outgoing {
  limits: Pick<Limits, "connectMs" | "silenceMs" | "headers">;
  agents: Record<"http:" | "https:", http.Agent>;
  watcher: Watcher;
  resolve: (ended: Ended) => void;
  /** Set in the second attempt, after a connection that was kept open turned out to be closed. */
  again?: true;
}

function send(sending: Sending): void {
  const { request, response, upstream, path, body, decoded = false, limits, agents, watcher } = sending;
  const { url } = upstream;
  const protocol = url.protocol as "http:" | "https:";
  const call = (protocol === "https:" ? https : http).request({
    agent: sending.again ? false : agents[protocol],
    protocol,
    hostname: url.hostname.replace(/^\[|\]$/gu, ""),
    port: url.port === "" ? undefined : Number(url.port),
    method: request.method,
    path,
    maxHeaderSize: limits.headers,
    headers: upstreamHeaders(request.rawHeaders, {
      host: url.host,
      decoded,
      ...(sending.instead && { instead: sending.instead }),
      // Trailers come behind chunks only.
      ...(body === undefined || request.rawTrailers.length > 0 ? {} : { length: lengthOf(body) }),
    }) as unknown as http.OutgoingHttpHeaders,
  });
  let isOver = false;
  const end = (ended: Ended) => {
    if (isOver) return;
    isOver = true;
    response.off("close", onGone);
    sending.resolve(ended);
  };
  const onGone = () => {
    call.destroy();
    end({ status: response.headersSent ? response.statusCode : 499, cut: true, problem: LEFT });
  };
  response.once("close", onGone);
  limitTime(call, limits);

  call.on("information", (early) => passEarly(early, response));
  let answered: IncomingMessage | undefined;
  call.once("response", (answer) => {
    answered = answer;
    const through = watcher.onAnswer?.(answer);
    const over = (cut: boolean) => end({ status: answer.statusCode ?? 0, cut });
    const problem = passBack(answer, response, { through, over });
    if (problem === undefined) return;
    call.destroy();
    refuse(response, 502, `the answer of ${upstream.name} cannot be passed on: ${problem}`);
    end({ status: 502, cut: false, problem });
  });
  const fail = (error: NodeJS.ErrnoException) => {
    if (isOver) return;
    // Behind a whole answer it changes nothing. Otherwise the answer ends with it, once all that came is passed on.
    if (answered !== undefined) return void (answered.complete || answered.destroy(error));
    // The upstream had closed a connection that was kept open. It has not read all, so it has not acted on it.
    if (call.reusedSocket && !call.writableFinished && body !== undefined && !sending.again) {
      isOver = true;
      response.off("close", onGone);
      return send({ ...sending, again: true });
    }
    const { status, problem } = failure(error, upstream);
    request.unpipe(call);
    refuse(response, status, problem);
    end({ status, cut: false, problem });
  };
  call.once("error", fail);
  // Nobody asked for that, and without a listener nobody hears of it.
  call.once("upgrade", (_answer, socket) => {
    socket.destroy();
    fail(new Error("it switched to another protocol"));
  });

  if (body === undefined) {
    request.pipe(call, { end: false });
    return void request.once("end", () => endWith(call, request));
  }
  // Node writes the end of a chunked body before chunks that are corked.
  if (request.rawTrailers.length === 0) call.cork();
  for (const piece of body) call.write(piece);
  endWith(call, request);
}

function limitTime(call: http.ClientRequest, { connectMs, silenceMs }: Sending["limits"]): void {
  call.setTimeout(silenceMs, () => call.destroy(timeout(`it was silent for ${silenceMs / 1000} s`)));
  call.once("socket", (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(
      () => call.destroy(timeout(`no connection within ${connectMs / 1000} s`)),
      connectMs,
    );
    for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(timer));
  });
}

function timeout(why: string): NodeJS.ErrnoException {
  return Object.assign(new Error(why), { code: "ETIMEDOUT" });
}

function failure(error: NodeJS.ErrnoException, { name }: KnownUpstream): { status: number; problem: string } {
  const status = error.code === "ETIMEDOUT" ? 504 : 502;
  return { status, problem: `${name} could not be reached: ${error.code ?? ""} ${error.message}`.trim() };
}

/** Returns why that cannot be done: Node refuses to write some of what it has read. */
function passBack(
  answer: IncomingMessage,
  response: ServerResponse,
  { through, over }: { through: Transform | undefined; over: (cut: boolean) => void },
): string | undefined {
  response.sendDate = false;
  const problem = writeHead(answer, response);
  if (problem !== undefined) return problem;
  // With the first bytes, if these are here already.
  setImmediate(() => {
    if (!response.destroyed && !response.writableEnded) sendHead(response);
  });
  const passed = through === undefined ? answer : answer.pipe(through);
  passed.pipe(response, { end: false });
  let isCut = false;
  // What was written is sent before the connection ends.
  const cut = () => {
    if (response.socket === null) return void response.destroy();
    sendHead(response);
    response.socket.destroySoon();
  };
  passed.once("end", () => (isCut ? cut() : endWith(response, answer, () => over(false))));
  answer.once("error", () => {
    isCut = true;
    // All that came is passed on, and nothing behind it. The stream itself gives out nothing more.
    for (let left = answer.read(); left !== null; left = answer.read()) (through ?? response).write(left);
    if (through === undefined) cut();
    else through.end();
    over(true);
  });
  return undefined;
}

/** Each character of it is a byte that came. `flushHeaders` would write it as UTF-8. */
function sendHead(response: ServerResponse): void {
  response.write("", "latin1");
}

function writeHead(answer: IncomingMessage, response: ServerResponse): string | undefined {
  const { statusCode = 502, statusMessage = "", rawHeaders } = answer;
  // What is not chunked has no trailers to announce.
  const headers = endToEnd(rawHeaders, isChunkedTo(response, answer) ? [] : ["trailer"]);
  // A reason that nobody may write is left out.
  const reason = /^[\t\x20-\x7e\x80-\xff]*$/u.test(statusMessage) ? statusMessage : "";
  try {
    response.writeHead(statusCode, reason, headers as unknown as http.OutgoingHttpHeader[]);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether Node sends the answer to the client in chunks. */
function isChunkedTo({ req }: ServerResponse, { statusCode = 0, headers }: IncomingMessage): boolean {
  const hasBody = req.method !== "HEAD" && statusCode >= 200 && statusCode !== 204 && statusCode !== 304;
  const isNew = req.httpVersionMajor > 1 || req.httpVersionMinor > 0;
  return hasBody && isNew && headers["content-length"] === undefined;
}

/** A chunked message may end with more headers. */
function endWith(to: http.OutgoingMessage, from: IncomingMessage, ended?: () => void): void {
  try {
    if (from.rawTrailers.length > 0) to.addTrailers(pairs(from.rawTrailers));
  } catch {
    // They have characters that nobody may write.
  }
  to.end(ended);
}

/** What comes before an answer: that it will take a while, or links to load meanwhile. */
function passEarly({ statusCode, headers }: http.InformationEvent, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return;
  try {
    if (statusCode === 102) response.writeProcessing();
    if (statusCode === 103) response.writeEarlyHints(headers as Record<string, string | string[]>);
  } catch {
    // They are hints.
  }
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [
    raw[2 * at] as string,
    raw[2 * at + 1] as string,
  ]);
}
