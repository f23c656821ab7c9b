// What is known of the clients: who they are, what they call their conversations, and which of their requests are none.

import type { IncomingHttpHeaders } from "node:http";
import { type Profile, type ProfileName, profiles } from "sotto";
import type { Dialect } from "sotto/extend";
import { fieldsOf, systemText } from "./body-parts.ts";

export interface ClientRequest {
  headers: IncomingHttpHeaders;
  dialect: Dialect;
  body: Readonly<Record<string, unknown>>;
}

export interface Identity {
  /** The coding agent; undefined for any other program. */
  profile?: Profile;
  /** The name of its conversation; undefined if the request has none. */
  conversation?: string;
  /** Where that name is. */
  by?: string;
  /** The name of its sub-agent in that conversation. */
  agent?: string;
  /** Why the request is not one of a conversation. */
  side?: string;
  /** It asks for a summary of the conversation: what is told here and nowhere else would be lost. */
  summary?: true;
}

interface KnownClient {
  profile: ProfileName;
  isIt(request: ClientRequest): boolean;
  /** Names of the conversation, best first. */
  names: readonly [where: string, read: (request: ClientRequest) => string | undefined][];
  agent?(request: ClientRequest): string | undefined;
  side?(request: ClientRequest): string | undefined;
  /** How the last message begins when it asks for a summary of the whole conversation, with its tools. */
  summary?: RegExp;
}

const header = (name: string): [string, (request: ClientRequest) => string | undefined] => [
  `header ${name}`,
  ({ headers }) => textOf(headers[name]),
];
const field = (
  path: string,
  change: (value: string) => string | undefined = (value) => value,
): [string, (request: ClientRequest) => string | undefined] => [
  `field ${path}`,
  ({ body }) => {
    const value = textOf(path.split(".").reduce<unknown>((at, key) => fieldsOf(at)[key], body));
    return value === undefined ? undefined : change(value);
  },
];
const userAgent = ({ headers }: ClientRequest) => textOf(headers["user-agent"]) ?? "";
const hasNoTools = (request: ClientRequest) =>
  toolNames(request).length === 0 ? "it gives the model no tools, as for a title or a summary" : undefined;

const CLIENTS: readonly KnownClient[] = [
  {
    profile: "claude-code",
    // Others imitate its user agent, but do not name the session.
    isIt: (request) =>
      request.headers["x-claude-code-session-id"] !== undefined ||
      (userAgent(request).startsWith("claude-cli/") && claudeSession(request) !== undefined),
    names: [header("x-claude-code-session-id"), ["field metadata.user_id", claudeSession]],
    agent: ({ headers }) => textOf(headers["x-claude-code-agent-id"]),
    side: hasNoTools,
    summary: /^CRITICAL: Respond with TEXT ONLY\b/u,
  },
  {
    profile: "codex",
    isIt: (request) =>
      /^codex/iu.test(userAgent(request)) || /^codex/iu.test(textOf(request.headers.originator) ?? ""),
    names: [
      header("thread-id"),
      header("session-id"),
      header("session_id"),
      header("conversation_id"),
      field("prompt_cache_key"),
    ],
    agent: ({ headers }) =>
      /^(?:review|collab_spawn)$/u.test(textOf(headers["x-openai-subagent"]) ?? "")
        ? textOf(headers["x-openai-subagent"])
        : undefined,
    side: codexSide,
  },
  {
    profile: "gemini-cli",
    isIt: (request) => /^GeminiCLI/u.test(userAgent(request)),
    names: [],
    agent: (request) => (toolNames(request).includes("complete_task") ? "agent" : undefined),
    side: hasNoTools,
  },
  {
    profile: "qwen-code",
    // With Anthropic's API it says that it is claude-cli.
    isIt: (request) =>
      /^QwenCode/u.test(userAgent(request)) ||
      (userAgent(request).startsWith("claude-cli/") && toolNames(request).includes("run_shell_command")),
    names: [
      field("metadata.sessionId"),
      field("prompt_cache_key", (key) => /^qwen-code:(.+)$/u.exec(key)?.[1]),
    ],
    side: qwenSide,
    summary: /^You are the component that summarizes\b/u,
  },
  {
    profile: "opencode",
    isIt: (request) => /\bopencode\//u.test(userAgent(request)),
    names: [header("x-opencode-session"), header("x-session-id"), header("x-session-affinity")],
    agent: ({ headers }) =>
      headers["x-parent-session-id"] === undefined ? undefined : textOf(headers["x-parent-session-id"]),
    side: hasNoTools,
  },
  {
    profile: "cline",
    isIt: (request) => /^Cline\//u.test(userAgent(request)),
    names: [header("x-task-id")],
  },
  {
    profile: "goose",
    isIt: (request) => /^goose\//iu.test(userAgent(request)),
    names: [],
    side: hasNoTools,
  },
  {
    profile: "pi",
    isIt: (request) =>
      /^pi[/-]/u.test(userAgent(request)) || hasPiTools(request) || PI_SUMMARY.test(systemText(request)),
    names: [header("session_id"), header("x-affinity"), field("prompt_cache_key")],
    side: hasNoTools,
  },
];

export function identify(request: ClientRequest): Identity {
  const known = CLIENTS.find((client) => client.isIt(request));
  const given = textOf(request.headers["x-sotto-session"]);
  const named = given === undefined ? known && firstName(known, request) : ["header x-sotto-session", given];
  const agent = known?.agent?.(request);
  const side = known?.side?.(request);
  const isSummary = known?.summary?.test(lastText(request));
  return {
    ...(known && { profile: profiles[known.profile] }),
    ...(named && { by: named[0] as string, conversation: named[1] as string }),
    ...(agent === undefined ? {} : { agent }),
    ...(side === undefined ? {} : { side }),
    ...(isSummary && { summary: true as const }),
  };
}

function lastText({ dialect, body }: ClientRequest): string {
  const messages = dialect.messages(body);
  const at = messages.length - 1;
  return (
    (at < 0 ? [] : dialect.read(messages[at], at)).findLast(({ text }) => text !== undefined)?.text ?? ""
  );
}

function firstName({ names }: KnownClient, request: ClientRequest): [string, string] | undefined {
  for (const [where, read] of names) {
    const name = read(request);
    if (name !== undefined) return [where, name];
  }
  return undefined;
}

function claudeSession({ body }: ClientRequest): string | undefined {
  return claudeUser(body).session;
}

/** Its user id is a text with the session's at its end or, since 2.1.78, an object as text. */
export function claudeUser(body: ClientRequest["body"]): {
  account: string | undefined;
  session: string | undefined;
} {
  const user = textOf(fieldsOf(body.metadata).user_id) ?? "";
  const [, account, session] = /(?:_account_([\w-]*?))?_session_([\w-]+)$/u.exec(user) ?? [];
  if (session !== undefined) return { account: textOf(account), session };
  try {
    const { account_uuid, session_id } = fieldsOf(JSON.parse(user));
    return { account: textOf(account_uuid), session: textOf(session_id) };
  } catch {
    return { account: undefined, session: undefined };
  }
}

const CODEX_SIDES = new Set(["prewarm", "compaction", "memory"]);

function codexSide({ headers }: ClientRequest): string | undefined {
  const subagent = textOf(headers["x-openai-subagent"]);
  if (subagent !== undefined && !/^(?:review|collab_spawn)$/u.test(subagent))
    return `its header says that it is for ${subagent}`;
  try {
    const kind = textOf(fieldsOf(JSON.parse(textOf(headers["x-codex-turn-metadata"]) ?? "{}")).request_kind);
    return CODEX_SIDES.has(kind ?? "") ? `its header says that it is for ${kind}` : undefined;
  } catch {
    return undefined;
  }
}

function qwenSide(request: ClientRequest): string | undefined {
  if (textOf(fieldsOf(request.body.metadata).promptId)?.startsWith("side-query:"))
    return "its prompt id says that it is a side query";
  if (systemText(request).startsWith("You are now acting as "))
    return "its system prompt is that of work in the background";
  return hasNoTools(request);
}

/** With no tools and no name of its own. */
const PI_SUMMARY = /^You are a context summarization assistant\b/u;

/** It has few, and no other agent has just these. */
function hasPiTools(request: ClientRequest): boolean {
  const names = toolNames(request);
  return names.slice(0, 4).join() === "read,bash,edit,write" && names.length <= 7;
}

export function toolNames({ dialect, body }: Pick<ClientRequest, "dialect" | "body">): string[] {
  try {
    return (dialect.tools?.(body) ?? []).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** A name that may become part of a session's. */
function textOf(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value[0] : value;
  return typeof text === "string" && text !== "" && text.length <= 2000 && text.isWellFormed()
    ? text
    : undefined;
}
