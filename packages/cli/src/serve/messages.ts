// Bytes into lines, one message each. A line that is too long is told once and dropped as it comes, never kept.

import { CliError, toFailure, wrongUse } from "sotto-agent/terminal";
import { type Fields, show } from "../input/fields.ts";
import { parseJson } from "../input/json.ts";

export type Line = { text: string } | { problem: "too long" | "not UTF-8" };

export interface LineSplitter {
  push(chunk: Uint8Array): Line[];
  /** The last line need not end with a line feed. */
  end(): Line[];
}

const LINE_FEED = 0x0a;

export function createLineSplitter(limit: number): LineSplitter {
  // A long line comes in many pieces: they are put together once.
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

/** A wrong byte is an error: replacing it would change what the model is sent. */
function decode(bytes: Uint8Array): Line {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "not UTF-8" };
  }
}

// One line into one message of JSON-RPC 2.0, or why it is none.

export interface Message {
  method: string;
  /** Nothing: a notification, which nobody answers. Numbers are kept to the letter. */
  id?: unknown;
  params: Fields;
  /** The same, with the caller's numbers to the letter. */
  exact: Fields;
}

/** What is wrong with a message, and whom to tell: null where its id cannot be known. */
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
      id: isId(given.id) && typeof given.method === "string" ? exact.id : null,
      thrown: wrongUse(problem.words, problem.code),
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
    return wrong("batches are not taken: send one message a line, without waiting for answers", false);
  if (typeof value !== "object" || value === null)
    return wrong(`a message is an object, got ${show(value)}`, false);
  const { jsonrpc, method, id, params } = value as Fields;
  if (jsonrpc !== "2.0") return wrong(`jsonrpc: expected "2.0", got ${show(jsonrpc)}`);
  if (typeof method !== "string") return wrong(`method: expected a text, got ${show(method)}`);
  if (id !== undefined && !isId(id)) return wrong(`id: expected a text or a number, got ${show(id)}`);
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params)))
    return wrong(`params: expected an object with names, got ${show(params)}`, true, "invalid_input");
  return undefined;
}

function isId(id: unknown): boolean {
  return typeof id === "string" || typeof id === "number" || id === null;
}

// What went wrong, as JSON-RPC says it: its own numbers for programs, our codes beside them, words for people.

export interface RpcErrorObject {
  code: number;
  message: string;
  /** The code is one of the library's or the programs', as in `sotto turn --json`. */
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

/** Some of several events could not be written. */
export class UnrecordedError extends CliError {
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
