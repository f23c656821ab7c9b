// What went wrong, for a person and for a program: words, a code, and the exit code that goes with it.

export type ExitCode = 0 | 1 | 2 | 130;

export interface Failure {
  exitCode: ExitCode;
  code: string;
  message: string;
}

export class ProgramError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "CliError";
    this.failure = failure;
  }
}

/** The caller can put it right: exit code 2. */
export function usageError(message: string, code = "invalid_input"): ProgramError {
  return new ProgramError({ exitCode: 2, code, message });
}

/** It was asked for rightly, and did not work: exit code 1. */
export function failed(message: string, code = "failed"): ProgramError {
  return new ProgramError({ exitCode: 1, code, message });
}

/** Whoever read the output has left: nothing to say, to nobody. */
export const CLOSED_PIPE = "closed_pipe";

const CALLERS_FAULT = new Set(["invalid_event", "invalid_config", "invalid_options"]);

/** The library's errors are known by their name: loading it only to ask would be a waste. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof ProgramError) return thrown.failure;
  const message = oneLine(thrown instanceof Error ? thrown.message : String(thrown));
  const { name, code } = (thrown ?? {}) as { name?: unknown; code?: unknown };
  if (name !== "SottoError" || typeof code !== "string")
    return { exitCode: 1, code: "unexpected", message: `unexpected: ${message}` };
  return { exitCode: CALLERS_FAULT.has(code) ? 2 : 1, code, message };
}

export function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
