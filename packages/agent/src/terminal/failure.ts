// Failures: a message for people, a code for programs, and an exit code.

import { ownFileProblem } from "./file-problem.ts";

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
    this.name = "ProgramError";
    this.failure = failure;
  }
}

/** Wrong use: exit code 2. */
export function usageError(message: string, code = "invalid_input"): ProgramError {
  return new ProgramError({ exitCode: 2, code, message });
}

/** Correct use that failed: exit code 1. */
export function failed(message: string, code = "failed"): ProgramError {
  return new ProgramError({ exitCode: 1, code, message });
}

/** The reader of the output is gone: print nothing. */
export const CLOSED_PIPE = "closed_pipe";

const CALLERS_FAULT = new Set(["invalid_event", "invalid_config", "invalid_options"]);

/** Recognises the library's errors by name, so that the library need not be loaded. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof ProgramError) return thrown.failure;
  const message = oneLine(thrown instanceof Error ? thrown.message : String(thrown));
  const { name, code, syscall } = (thrown ?? {}) as { name?: unknown; code?: unknown; syscall?: unknown };
  if (syscall === "uv_cwd")
    return {
      exitCode: 1,
      code: "no_directory",
      message: "the current directory no longer exists; change to one that does",
    };
  if (name !== "SottoError" || typeof code !== "string") {
    // A network error, such as "ECONNREFUSED: connection refused", needs no such prefix.
    const isSystem = thrown instanceof Error && typeof code === "string" && /^E[A-Z0-9]+$/u.test(code);
    const words = isSystem ? message : `unexpected: ${message}`;
    return { exitCode: 1, code: "unexpected", message: ownFileProblem(thrown) ?? words };
  }
  return { exitCode: CALLERS_FAULT.has(code) ? 2 : 1, code, message };
}

export function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
