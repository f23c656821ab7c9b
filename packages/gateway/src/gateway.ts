// The server: every request is guarded, routed, reminded if it is one of a conversation, and passed on.

import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createMemoryStore, SottoError } from "sotto";
import { createForwarder } from "./forward.ts";
import { guard } from "./guard.ts";
import { type Decoding, holdEnd } from "./hold-end.ts";
import { createLatestBodies } from "./latest-bodies.ts";
import { createLog, type LogLine, requestId } from "./log.ts";
import { createMarks } from "./marks.ts";
import { type CounterName, createMetrics, type MetricsData } from "./metrics.ts";
import { checkedOptions, type GatewayOptions, type Settings } from "./options.ts";
import { answerOwn, isHealthPath, isOwnPath, isWatchPath } from "./own-paths.ts";
import { createRecording, type RecordRequest } from "./recording.ts";
import { refuse } from "./refuse.ts";
import { createRemind, type Reminded } from "./remind.ts";
import { readRequestBody } from "./request-body.ts";
import { type Route, routeOf } from "./routes.ts";
import { createSessions } from "./sessions.ts";
import { isTracing, noSpan, type RequestSpan, startSpan } from "./tracing.ts";
import { readAnswer } from "./usage.ts";

/** What can be replaced while it runs. One that is not set has its default again; `session` stays, and holds for new sessions. */
export type Reloaded = Pick<
  GatewayOptions,
  "upstreams" | "tokens" | "hosts" | "origins" | "tls" | "recordConversation" | "session"
>;

export interface Gateway {
  /** Resolves with its address. */
  listen(): Promise<string>;
  /** Takes these from now on, in place of the earlier ones. Throws if they are wrong, and changes nothing then. */
  reload(options: Reloaded): void;
  /** How often something happened since it was started. */
  total(name: CounterName): number;
  /** All that was counted. */
  counts(): MetricsData;
  /** Takes no new requests, lets answers end for as long as `patienceMs`, then closes the sessions. */
  close(patienceMs?: number): Promise<void>;
}

// A request whose connections are closed is over at once.
const CUT_MS = 1000;
// A client that sends nothing for as long, in the middle of its body, is not waited for.
const STALLED_MS = 1000;

/** Throws `invalid_options` naming what is wrong. */
export function createGateway(options: GatewayOptions = {}): Gateway {
  let settings = checkedOptions(options);
  const { limits } = settings;
  const log = createLog(options.log);
  const metrics = createMetrics();
  const marks = createMarks(options.store ?? createMemoryStore());
  const { store } = marks;
  const { workspaces = [], session = {}, modelFacts } = options;
  const sessions = createSessions({
    store,
    most: limits.sessions,
    workspaces,
    session: () => settings.session ?? {},
  });
  const cwd = workspaces[0] ?? "/";
  let recording: RecordRequest | undefined;
  const record: RecordRequest = async (...request) => {
    if (!settings.recordConversation) return;
    recording ??= createRecording({ store, cwd, ...session });
    await recording(...request);
  };
  const remind = createRemind({ store, marks, sessions, remindMs: limits.remindMs, modelFacts, record });
  const latest = createLatestBodies();
  const forwarder = createForwarder(limits);
  let isStopping = false;
  const active = new Set<IncomingMessage>();
  let onIdle = () => {};
  metrics.gauge("active_requests", () => active.size);
  metrics.gauge("open_sessions", () => sessions.size());
  const counts = options.metrics ?? (async () => metrics.data());
  const isUsers = () => settings.session?.trust?.user === true;
  const own = { store, sessions, metrics: counts, isStopping: () => isStopping, isUsers };

  const server = createServer(settings, (request, response) => {
    active.add(request);
    void traced(request, response)
      .catch((error: unknown) => {
        if (!response.headersSent) refuse(response, 500, "an error of the gateway itself");
        else response.destroy();
        log({
          level: "error",
          message: `a request failed: ${error instanceof Error ? error.message : error}`,
        });
      })
      .finally(() => {
        active.delete(request);
        if (active.size === 0) onIdle();
      });
  });

  async function traced(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isTracing() || isWatchPath(request.url ?? "")) return handle(request, response, noSpan());
    const span = await startSpan(request, settings.tls === undefined ? "http" : "https");
    return span.within(() =>
      handle(request, response, span).catch((error: unknown) => {
        span.end({ status: 500, cut: false });
        throw error;
      }),
    );
  }

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
    span: RequestSpan,
  ): Promise<void> {
    const from = performance.now();
    const url = request.url ?? "";
    const line = { request: requestId(request.headers), method: request.method ?? "", path: pathOf(url) };
    const stop = (status: number, problem: string) => {
      metrics.count("refused", { status: String(status) });
      log({ ...line, level: "warn", message: `refused: ${problem}`, status });
      span.end({ status, cut: false });
      // What is still to come of it is not read.
      response.setHeader("connection", "close");
      refuse(response, status, problem);
    };
    if (isStopping) response.setHeader("connection", "close");
    const guarded = guard(request, isHealthPath(url) ? { ...settings, tokens: new Map() } : settings);
    if ("status" in guarded) return stop(guarded.status, guarded.problem);
    const { client } = guarded;
    if (isOwnPath(url)) {
      await answerOwn(own, request, response, client);
      const { statusCode: status } = response;
      log({ ...line, level: "debug", message: "answered", status, ms: rounded(performance.now() - from) });
      return span.end({ status, cut: false });
    }
    const route = routeOf(request, settings.upstreams);
    if ("status" in route) return stop(route.status, route.problem);
    const { upstream, path, dialect } = route;
    span.routed(route);
    const about = { ...line, upstream: upstream.name, ...(client === undefined ? {} : { client }) };
    if (dialect === undefined) {
      const call = span.call(route);
      const ended = await forwarder.forward({ request, response, upstream, path, instead: call.headers });
      call.end(ended);
      span.end(ended);
      return report({ about, route, from, added: 0, ...ended });
    }
    const before = latest.of(request, client);
    const body = await readRequestBody(request, limits.body, before).catch(() => null);
    if (body === null) {
      span.end({ status: 0, cut: true });
      return log({ ...about, level: "info", message: "the client left" });
    }
    if (body === undefined) return stop(413, `a request may have up to ${limits.body} bytes`);
    if (body.plain === body.bytes) latest.keep(request, client, body.bytes);
    const reminded = await remind({ headers: request.headers, route, body, client });
    const added = performance.now() - from;
    const { bytes, decoded = false } = reminded;
    const call = span.call(route);
    let failure: string | undefined;
    let keepWhole: (() => Promise<unknown>) | undefined;
    let decoding: Decoding | undefined;
    const passed = await forwarder.forward(
      { request, response, upstream, path, body: bytes, decoded, instead: call.headers },
      {
        onAnswer(answer) {
          const status = answer.statusCode ?? 0;
          reminded.answered(status);
          const { keepId, keepTurn }: Partial<Reminded> = status < 300 ? reminded : {};
          let kept: Promise<void> | undefined;
          // At once: a provider may go on with an answer though its stream breaks, and clients continue from it.
          const onId = (id: string) => {
            kept = keepId?.(id);
            kept?.catch(() => undefined);
          };
          const onFailure = (why: string) => {
            if (status >= 300) return;
            failure = `the answer of ${upstream.name} is none: ${why}`;
            reminded.noAnswer();
          };
          decoding = readAnswer(answer, { words: reminded.wantsWords === true, onId, onFailure }, (facts) => {
            reminded.told(facts);
            const labels = { upstream: upstream.name, dialect: dialect.name };
            metrics.count("input_tokens", labels, facts.usage?.input ?? 0);
            metrics.count("cached_tokens", labels, facts.usage?.cacheRead ?? 0);
            metrics.count("output_tokens", labels, facts.usage?.output ?? 0);
          });
          if (keepId === undefined && keepTurn === undefined) return undefined;
          keepWhole = () => Promise.all([kept, keepTurn?.()]);
          return holdEnd(answer, { keep: keepWhole, decoding, longestMs: limits.remindMs });
        },
      },
    );
    await decoding?.caughtUp();
    // It broke off behind its last event, which the client has.
    if (passed.cut && decoding?.isOver()) await keepWhole?.().catch(() => undefined);
    const ended = failure === undefined || passed.cut ? passed : { ...passed, problem: failure };
    reminded.over(ended);
    call.end(ended);
    span.end({ ...reminded, ...ended });
    report({ about, route, from, added, reminded, ...ended });
  }

  interface Report {
    about: Omit<LogLine, "level" | "message">;
    route: Route;
    from: number;
    added: number;
    reminded?: Reminded;
    status: number;
    cut: boolean;
    problem?: string;
  }

  function report({ about, route, from, added, reminded, status, cut, problem }: Report): void {
    const labels = { upstream: route.upstream.name, dialect: route.dialect?.name ?? "none" };
    metrics.count("requests", { ...labels, status: `${Math.floor(status / 100)}xx` });
    if (cut) metrics.count("cuts", labels);
    else if (problem !== undefined) metrics.count("failures", labels);
    if (reminded !== undefined) {
      metrics.added(labels, added);
      metrics.count("reminders", labels, reminded.reminders);
      if (reminded.unchanged !== undefined) metrics.count("unchanged", labels);
      if (reminded.failed) metrics.count("problems", labels);
      if (reminded.prefix !== undefined) metrics.count("prefixes", { ...labels, prefix: reminded.prefix });
    }
    const { session: name, foundBy, reminders, unchanged, prefix } = reminded ?? {};
    log({
      ...about,
      level: problem !== undefined || reminded?.failed ? "warn" : "info",
      message: problem ?? (cut ? "the answer was cut" : "answered"),
      status,
      ms: rounded(performance.now() - from),
      addedMs: rounded(added),
      ...(route.dialect && { dialect: route.dialect.name }),
      ...(name === undefined ? {} : { session: name }),
      ...(foundBy === undefined ? {} : { foundBy }),
      ...(reminders === undefined ? {} : { reminders }),
      ...(unchanged === undefined ? {} : { unchanged }),
      ...(prefix === undefined ? {} : { prefix }),
    });
  }

  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(settings.port, settings.host, () => {
          server.off("error", reject);
          const { port } = server.address() as AddressInfo;
          const host = settings.host.includes(":") ? `[${settings.host}]` : settings.host;
          resolve(`${settings.tls === undefined ? "http" : "https"}://${host}:${port}`);
        });
      }),
    reload({ tls, session: own = settings.session, ...more }) {
      if ((tls === undefined) !== (settings.tls === undefined))
        throw new SottoError("invalid_options", "gateway: switching TLS on or off needs a restart");
      const { upstreams, tokens, hosts, origins, recordConversation } = more;
      const replaced = { upstreams, tokens, hosts, origins, recordConversation, tls, session: own };
      const next = checkedOptions({ ...options, ...replaced });
      if (server instanceof https.Server && tls !== undefined) server.setSecureContext(tls);
      settings = next;
    },
    total: (name) => metrics.total(name),
    counts: () => metrics.data(),
    async close(patienceMs = 30_000) {
      isStopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const idle = active.size === 0 ? undefined : new Promise<void>((resolve) => (onIdle = resolve));
      const stopCutting = cutStalled(active);
      if (idle) await inTime(idle, patienceMs);
      stopCutting();
      server.closeAllConnections();
      await closed;
      // What was cut off is counted and told, too.
      if (idle) await inTime(idle, CUT_MS);
      forwarder.close();
      await sessions.close();
    },
  };
}

function createServer(
  { limits, tls }: Settings,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): http.Server {
  const bounds = {
    maxHeaderSize: limits.headers,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.max(50, Math.min(5000, limits.headersMs / 2)),
    keepAliveTimeout: 65_000,
    noDelay: true,
  };
  const server =
    tls === undefined
      ? http.createServer(bounds, handle)
      : (https.createServer({ ...bounds, ...tls }, handle) as http.Server);
  server.maxConnections = limits.connections;
  server.on("connect", (_request, socket) =>
    end(socket, 405, "CONNECT: this is a gateway, not an open proxy"),
  );
  // No listener for `upgrade`: Node then takes such a request as a plain one.
  return server;
}

function end(socket: Duplex, status: number, problem: string): void {
  const message = `sotto gateway: ${problem}`;
  const body = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } });
  const head = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.on("error", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Ends requests whose body has stopped coming. */
function cutStalled(requests: ReadonlySet<IncomingMessage>): () => void {
  let before = new Map<IncomingMessage, number>();
  const timer = setInterval(() => {
    const now = new Map<IncomingMessage, number>();
    for (const request of requests) {
      // What is here and not read yet waits for the upstream, not for the client.
      if (request.complete || request.readableLength > 0) continue;
      const { bytesRead } = request.socket;
      if (before.get(request) === bytesRead) request.destroy();
      else now.set(request, bytesRead);
    }
    before = now;
  }, STALLED_MS);
  return () => clearInterval(timer);
}

/** Without the query: keys may be in it. */
function pathOf(url: string): string {
  return url.replace(/[?#].*$/su, "").slice(0, 300);
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

async function inTime(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
