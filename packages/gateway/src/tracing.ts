// Spans through OpenTelemetry if an SDK is registered: one for each request, which continues the client's trace, and one
// for the call to the upstream, whose context goes on. Without an SDK nothing is loaded, and headers pass untouched.

import type { IncomingMessage } from "node:http";
import type { Attributes, Context, Span } from "@opentelemetry/api";
import type { Ended } from "./forward.ts";
import { isOwnPath } from "./own-paths.ts";
import type { Prefix } from "./prefix.ts";
import type { Route } from "./routes.ts";

type Api = typeof import("@opentelemetry/api");

/** What is known of a request once it is over. */
export interface Outcome extends Ended {
  reminders?: number | undefined;
  unchanged?: string | undefined;
  prefix?: Prefix | undefined;
}

export interface RequestSpan {
  /** Runs it as part of the span: spans that begin in it are its children. */
  within<Result>(work: () => Promise<Result>): Promise<Result>;
  routed(route: Route): void;
  /** The upstream is called: headers that take the place of the client's. */
  call(route: Route): { headers: Readonly<Record<string, string>>; end(ended: Ended): void };
  end(outcome: Outcome): void;
}

// Where every copy of the API's major version 1 keeps what was registered.
const REGISTRY = Symbol.for("opentelemetry.js.api.1");
const SCOPE = "sotto-gateway";

const NONE: RequestSpan = {
  within: (work) => work(),
  routed() {},
  call: () => ({ headers: {}, end() {} }),
  end() {},
};

let loading: Promise<Api | undefined> | undefined;

/** Whether someone is there to get spans; only then is `startSpan` worth waiting for. */
export function isTracing(): boolean {
  const registered = (globalThis as { [REGISTRY]?: { trace?: unknown } })[REGISTRY];
  return registered?.trace !== undefined;
}

export async function startSpan(request: IncomingMessage, scheme: "http" | "https"): Promise<RequestSpan> {
  loading ??= import("@opentelemetry/api").catch(() => undefined);
  const api = await loading;
  try {
    return api === undefined ? NONE : createSpan(api, request, scheme);
  } catch {
    // An SDK that fails must not fail a request.
    return NONE;
  }
}

export function noSpan(): RequestSpan {
  return NONE;
}

function createSpan(api: Api, request: IncomingMessage, scheme: string): RequestSpan {
  const { trace, context, propagation, SpanKind } = api;
  const { method = "", url = "", headers, httpVersion } = request;
  const tracer = trace.getTracer(SCOPE);
  const from = propagation.extract(context.active(), headers);
  const own = ownRoute(url);
  const attributes = {
    "http.request.method": method,
    "url.scheme": scheme,
    "network.protocol.version": httpVersion,
    ...(own === undefined ? { "url.path": bare(url) } : { "url.path": own, "http.route": own }),
  };
  const name = own === undefined ? method : `${method} ${own}`;
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, from);
  const inside = trace.setSpan(from, span);
  return {
    within: (work) => context.with(inside, work),
    routed: (route) => carefully(() => nameByRoute(span, method, route)),
    call(route) {
      const upstream = tracer.startSpan(
        method,
        { kind: SpanKind.CLIENT, attributes: callAttributes(method, route) },
        inside,
      );
      return {
        headers: injected(api, trace.setSpan(inside, upstream)),
        end: (ended) => carefully(() => finish(api, upstream, ended, 400)),
      };
    },
    end: (outcome) =>
      carefully(() => {
        const { reminders, unchanged, prefix } = outcome;
        if (reminders !== undefined) span.setAttribute("sotto.reminders", reminders);
        if (unchanged !== undefined) span.setAttribute("sotto.unchanged", unchanged);
        if (prefix !== undefined) span.setAttribute("sotto.prefix", prefix);
        finish(api, span, outcome, 500);
      }),
  };
}

function nameByRoute(span: Span, method: string, route: Route): void {
  const name = routeName(route);
  span.updateName(`${method} ${name}`);
  span.setAttributes({ "http.route": name, "sotto.upstream": route.upstream.name });
  if (route.dialect !== undefined) span.setAttribute("sotto.dialect", route.dialect.name);
}

/** Few of them, whatever models and files are in the paths. */
function routeName({ upstream, path, dialect }: Route): string {
  const end = dialect && /(?:\/messages|\/chat|\/responses)(?:\/\w+)?\/?$|:\w+\/?$/u.exec(bare(path));
  return `/${upstream.name}${end?.[0] ?? "/*"}`;
}

function callAttributes(method: string, { upstream: { name, url }, path }: Route): Attributes {
  return {
    "http.request.method": method,
    "server.address": url.hostname,
    "server.port": Number(url.port || (url.protocol === "https:" ? 443 : 80)),
    // Without the query: keys may be in it.
    "url.full": `${url.origin}${bare(path)}`,
    "sotto.upstream": name,
  };
}

function injected({ propagation }: Api, context: Context): Record<string, string> {
  const headers: Record<string, string> = {};
  carefully(() => propagation.inject(context, headers));
  return headers;
}

/** `wrong`: the lowest status that counts as an error; to a server a client's mistake is none. */
function finish(
  { SpanStatusCode }: Api,
  span: Span,
  { status, cut, problem }: Ended,
  wrong: 400 | 500,
): void {
  if (status > 0) span.setAttribute("http.response.status_code", status);
  if (status >= wrong || cut || problem !== undefined) {
    span.setAttribute("error.type", cut ? "cut" : String(status));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** Of a path of the gateway itself; it names sessions. */
function ownRoute(url: string): string | undefined {
  return isOwnPath(url) ? bare(url).replace(/^(\/sotto\/v1\/sessions\/)[^/]+/u, "$1{session}") : undefined;
}

function bare(path: string): string {
  return path.replace(/[?#].*$/su, "").slice(0, 300);
}

function carefully(work: () => void): void {
  try {
    work();
  } catch {
    // An SDK that fails must not fail a request.
  }
}
