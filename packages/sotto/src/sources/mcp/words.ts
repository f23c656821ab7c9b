// What went wrong with a server, in our words: theirs may hold anything, also what we sent them.

import { errorText } from "../../platform/errors.ts";
import { createRedact, type Redact } from "../redact.ts";

const HIDDEN = "[secret]";
// Far more than is shown of an error.
const LONGEST = 100_000;

export function createRedactor(secrets: readonly string[]): Redact {
  return createRedact(secrets.map((value) => ({ value, shown: HIDDEN })));
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
  const words = error instanceof Error ? error.message : String(error);
  // Before it is cut: of half a secret nobody could tell what it is.
  return errorText(redact(words.slice(0, LONGEST)));
}
