// What went wrong with a server, in our words: theirs may hold anything, also what we sent them.

import { errorText } from "../../core/errors.ts";

export type Redact = (text: string) => string;

const HIDDEN = "[secret]";

export function createRedactor(secrets: readonly string[]): Redact {
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}

/** For a trace and for `state()`: one line, bounded, without secrets. */
export function failureWords(error: unknown, redact: Redact): string {
  const { code, status, data } = (error ?? {}) as {
    code?: unknown;
    status?: unknown;
    data?: { status?: unknown };
  };
  if (code === "REQUEST_TIMEOUT") return "it gave no answer in time";
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED") return "the connection was closed";
  const http = status ?? data?.status;
  if (typeof http === "number") return `it answered HTTP ${http}`;
  const cause = (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  if (error instanceof TypeError && typeof cause === "string") return `it cannot be reached: ${cause}`;
  return redact(errorText(error));
}
