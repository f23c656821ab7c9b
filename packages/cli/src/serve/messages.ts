// JSON-RPC messages: bytes to lines, lines to messages, failures to error objects.

import { ProgramError, toFailure, usageError } from "sotto-agent/terminal";
import { type Fields, show } from "../input/fields.ts";
import { parseJson } from "../input/json.ts";

export type Line = { text: string } | { problem: "too long" | "not UTF-8" };

/** Splits bytes into lines. A line over the limit is reported once and dropped as it arrives. */
export interface LineSplitter {
  push(chunk: Uint8Array): Line[];
  /** The last line may lack a line feed. */
  end(): Line[];
}

const LINE_FEED = 0x0a;

export function createLineSplitter(limit: number): LineSplitter {
  // A long line comes in many pieces, joined once.
  let pieces: Uint8Array[] = [];
  let length = 0;
  let isDropping = false;

  function take(part: Uint8Array): Line[] {
    if (isDropping || part.length === 0) return [];
    length += part.length;
    if (length <= limit) {
      pieces.push(part);
      return [];
    }
    isDropping = true;
    pieces = [];
    return [{ problem: "too long" }];
  }

  function finish(): Line[] {
    const [line, dropped] = [pieces, isDropping];
    pieces = [];
    length = 0;
    isDropping = false;
    if (dropped) return [];
    const found = decode(Buffer.concat(line));
    return "text" in found && found.text.trim() === "" ? [] : [found];
  }

  return {
    push(chunk) {
      const found: Line[] = [];
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        found.push(...take(chunk.subarray(from, at)), ...finish());
        from = at + 1;
      }
      return [...found, ...take(chunk.subarray(from))];
    },
    end: finish,
  };
}

/** An invalid byte is an error: replacing it would change what the model receives. */
function decode(bytes: Uint8Array): Line {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "not UTF-8" };
  }
}

export interface Message {
  method: string;
  /** Undefined for a notification. Numbers are kept verbatim. */
  id?: unknown;
  params: Fields;
  /** The same, with numbers kept verbatim. */
  exact: Fields;
}

/** An invalid message; the id is null if it cannot be read. */
export interface WrongMessage {
  id: unknown;
  thrown: unknown;
}

export function toMessage(text: string): Message | WrongMessage {
  let parsed: ReturnType<typeof parseJson>;
  try {
    parsed = parseJson(text, "the message");
  } catch (thrown) {
    return { id: null, thrown };
  }
  const { value, faithful } = parsed;
  const problem = problemOf(value);
  const given = (problem?.isObject === false ? {} : value) as Fields;
  const exact = faithful as Fields;
  if (problem !== undefined)
    return {
      id: isId(given.id) ? exact.id : null,
      thrown: usageError(problem.words, problem.code),
    };
  return {
    method: given.method as string,
    ...(given.id === undefined ? {} : { id: exact.id }),
    params: (given.params ?? {}) as Fields,
    exact: (exact.params ?? {}) as Fields,
  };
}

interface Wrong {
  isObject: boolean;
  words: string;
  code: string;
}

function problemOf(value: unknown): Wrong | undefined {
  const wrong = (words: string, isObject = true, code = "invalid_message") => ({ words, isObject, code });
  if (Array.isArray(value))
    return wrong("batches are not supported: send one message per line, without waiting for replies", false);
  if (typeof value !== "object" || value === null)
    return wrong(`expected an object, got ${show(value)}`, false);
  const { jsonrpc, method, id, params } = value as Fields;
  if (jsonrpc !== "2.0") return wrong(`jsonrpc: expected "2.0", got ${show(jsonrpc)}`);
  if (typeof method !== "string") return wrong(`method: expected a text, got ${show(method)}`);
  if (id !== undefined && !isId(id)) return wrong(`id: expected a text or a number, got ${show(id)}`);
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params)))
    return wrong(`params: expected an object, got ${show(params)}`, true, "invalid_input");
  return undefined;
}

function isId(id: unknown): boolean {
  return typeof id === "string" || typeof id === "number" || id === null;
}

export interface RpcErrorObject {
  code: number;
  message: string;
  /** The same codes as in `sotto turn --json`. */
  data: { code: string; unrecorded?: readonly number[] };
}

const PARSE = -32700;
const MESSAGE = -32600;
const METHOD = -32601;
const PARAMS = -32602;
const INTERNAL = -32603;
const FAILED = -32000;

const BY_CODE: Readonly<Record<string, number>> = {
  invalid_json: PARSE,
  line_too_long: MESSAGE,
  invalid_message: MESSAGE,
  unknown_method: METHOD,
  invalid_request: PARAMS,
  unexpected: INTERNAL,
};

/** Some events of a `session/record` could not be recorded. */
export class UnrecordedError extends ProgramError {
  readonly unrecorded: readonly number[];

  constructor(cause: unknown, { unrecorded, words }: { unrecorded: readonly number[]; words: string }) {
    const { exitCode, code, message } = toFailure(cause);
    super({ exitCode, code, message: `${message} (${words})` });
    this.unrecorded = unrecorded;
  }
}

export function toRpcError(thrown: unknown): RpcErrorObject {
  const { code, message, exitCode } = toFailure(thrown);
  const number = BY_CODE[code] ?? (exitCode === 2 ? PARAMS : FAILED);
  const more = thrown instanceof UnrecordedError ? { unrecorded: thrown.unrecorded } : {};
  return { code: number, message, data: { code, ...more } };
}
