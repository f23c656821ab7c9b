// What a model server needs to know of a provider: its address, its rules, and how it answers.
import type { IncomingHttpHeaders } from "node:http";

/** `namespace`: where its tool is in one, in the Responses API. */
export type ToolCall = { id?: string; name: string; namespace?: string; input: unknown };
/** In tokens, the cached ones not counted as input. */
export type Usage = { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
export type Reply = { text?: string; thinking?: string; toolCalls?: ToolCall[]; usage?: Usage };

/** All that goes into an answer: a reply with nothing left open, and the request it is for. */
export type FullReply = {
  id: string;
  model: string;
  text: string;
  thinking: string;
  toolCalls: (ToolCall & { id: string })[];
  usage: Required<Usage>;
  request: Record<string, unknown>;
  /** The address it was sent to, with its query. */
  path: string;
};

export type Provider<Rules = object> = {
  serves: (pathname: string) => boolean;
  /** `path` is the address with its query: some providers read their model from it. */
  check: (body: unknown, rules: Rules, headers: IncomingHttpHeaders, path: string) => string[];
  /** With what status a violation is refused: 400 where this is not given. */
  refusal?: (violation: string) => number;
  error: (status: number, message: string) => unknown;
  streams: (body: Record<string, unknown>, path: string) => boolean;
  complete: (reply: FullReply) => unknown;
  /** The same answer as server-sent events, each ready to be written. */
  events: (reply: FullReply) => string[];
  callId: (count: number) => string;
};

/** In pieces, as models speak; never through the middle of a character. */
export function piecesOf(value: string, length = 8): string[] {
  const characters = [...value];
  const count = Math.ceil(characters.length / length);
  return Array.from({ length: count }, (_, at) => characters.slice(at * length, (at + 1) * length).join(""));
}
