// What went wrong, as JSON-RPC says it: its own numbers for programs, our codes beside them, words for people.

import { CliError, toFailure } from "../../../agent/src/terminal/failure.ts";

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
