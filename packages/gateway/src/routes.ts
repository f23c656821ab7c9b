// Where a request goes: to the upstream that its path begins with or, without one, to the one whose API has this path.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { anthropicMessages, openaiChat, openaiResponses } from "sotto";
import type { Dialect } from "sotto/extend";
import { geminiRequest } from "sotto/internal";
import type { Family, KnownUpstream } from "./options.ts";

export interface Route {
  upstream: KnownUpstream;
  /** With its query, as the upstream gets it. */
  path: string;
  /** The dialect, if reminders go into requests like this one. */
  dialect?: Dialect;
  /** It is about a request, which is only counted. */
  counts?: true;
}

export type Routed = Route | { status: number; problem: string };

export function routeOf(
  { method = "", url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  upstreams: ReadonlyMap<string, KnownUpstream>,
): Routed {
  if (!url.startsWith("/")) return { status: 400, problem: "this is a gateway, not an open proxy" };
  const cut = url.search(/[?#]/u);
  const [path, query] = cut < 0 ? [url, ""] : [url.slice(0, cut), url.slice(cut)];
  const plain = unescaped(path);
  if (leavesItsPlace(plain)) return { status: 400, problem: "the path may not have .. or \\ in it" };
  const [, first = "", rest = ""] = /^\/([^/]*)(.*)$/su.exec(path) ?? [];
  const named = upstreams.get(first);
  const upstream = named ?? upstreams.get(familyOf(path, headers) ?? "");
  if (plain.includes("//") && !upstream?.doubleSlashes)
    return { status: 400, problem: "the path may not have // in it" };
  if (upstream === undefined)
    return {
      status: 404,
      problem: `no upstream for this path: begin it with ${[...upstreams.keys()].map((name) => `/${name}/`).join(", ")}`,
    };
  const kept = named === undefined ? path : rest || "/";
  const base = upstream.url.pathname.replace(/\/$/u, "");
  return {
    upstream,
    path: `${base}${kept}${query}`,
    ...(method === "POST" ? kindOf(kept, upstream.dialect) : {}),
  };
}

/** What an upstream might read as a way out of its path. */
function leavesItsPlace(plain: string): boolean {
  return /(?:^|\/)\.{1,2}(?:\/|$)|\\/u.test(plain) || hasControls(plain);
}

/** Once or twice. */
function unescaped(path: string): string {
  let plain = path;
  for (let round = 0; round < 2; round++)
    plain = plain.replace(/%(25|2e|2f|5c)/giu, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return plain;
}

function hasControls(path: string): boolean {
  return /%(?:0[0-9a-f]|1[0-9a-f]|7f)/iu.test(path) || [...path].some((one) => one <= " " || one === "\x7f");
}

const KINDS: readonly { family: Family; path: RegExp; dialect: Dialect; counts?: true }[] = [
  { family: "anthropic", path: /\/messages$/u, dialect: anthropicMessages as Dialect },
  {
    family: "anthropic",
    path: /\/messages\/count_tokens$/u,
    dialect: anthropicMessages as Dialect,
    counts: true,
  },
  { family: "openai", path: /\/chat\/completions$/u, dialect: openaiChat as Dialect },
  { family: "openai", path: /\/responses$/u, dialect: openaiResponses as Dialect },
  {
    family: "openai",
    path: /\/responses\/input_tokens$/u,
    dialect: openaiResponses as Dialect,
    counts: true,
  },
  {
    family: "gemini",
    path: /:(?:generateContent|streamGenerateContent)$/u,
    dialect: geminiRequest as Dialect,
  },
  { family: "gemini", path: /:countTokens$/u, dialect: geminiRequest as Dialect, counts: true },
];

function kindOf(path: string, family: Family | undefined): Pick<Route, "dialect" | "counts"> {
  const bare = path.replace(/\/$/u, "");
  const kind = KINDS.find((one) => (family === undefined || one.family === family) && one.path.test(bare));
  return kind === undefined ? {} : { dialect: kind.dialect, ...(kind.counts && { counts: true }) };
}

/** Without a prefix: by a path that only one API has, else by the header that only one has. */
function familyOf(path: string, headers: IncomingHttpHeaders): Family | undefined {
  if (/^\/v1\/messages(?:\/|$)/u.test(path)) return "anthropic";
  if (/^\/v1\/(?:chat\/completions|responses|embeddings)(?:\/|$)/u.test(path)) return "openai";
  if (/^\/v1(?:beta|alpha)?\/models\/[^/]+:\w+$/u.test(path) || /^\/v1(?:beta|alpha)\//u.test(path))
    return "gemini";
  if (!path.startsWith("/v1/")) return undefined;
  if (headers["anthropic-version"] !== undefined) return "anthropic";
  if (headers["x-goog-api-key"] !== undefined) return "gemini";
  return headers.authorization === undefined ? undefined : "openai";
}
