// The library's error class: a code to branch on, a message that names the fix, and the cause.

import { hideQuotedKeys } from "./key-shapes.ts";

/** The codes of `SottoError`, to branch on. */
export type ErrorCode =
  | "invalid_event"
  | "invalid_config"
  | "invalid_request"
  | "invalid_options"
  | "invalid_attachment"
  | "invalid_source"
  | "unsupported_node"
  | "unknown_session"
  | "session_closed"
  | "store_newer"
  | "store_locked"
  | "store_read_only"
  | "store_corrupt"
  | "store_full"
  | "store_failed"
  | "mailbox_failed"
  | "worker_failed"
  | "worker_slow";

/** The one error class of Sotto: a `code` to branch on, a message that names the fix, and the cause. */
export class SottoError extends Error {
  readonly code: ErrorCode;
  /** For a wrong config: the keys that lead to the mistake, outermost first. */
  declare readonly keys?: readonly string[];

  constructor(code: ErrorCode, message: string, cause?: unknown, keys?: readonly string[]) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SottoError";
    this.code = code;
    // Not enumerable, as the message already says it.
    if (keys !== undefined) Object.defineProperty(this, "keys", { value: keys });
  }
}

const LONGEST = 300;
/** Any white space but a single space between words. */
const UNEVEN = /[^\S ]| {2}|^ | $/u;

/** The message of anything that was thrown, on one line and bounded, for a trace. */
export function errorText(thrown: unknown, longest = LONGEST): string {
  const text = wordsOf(thrown);
  if (text !== "" && text.length <= longest && !UNEVEN.test(text)) return text;
  const start = text.slice(0, 10 * longest);
  return start.replace(/\s+/gu, " ").trim().slice(0, longest) || "an error without a message";
}

// Anything can be thrown, also what throws when it is looked at.

function wordsOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "";
  }
}

/** `instanceof` for what was thrown. */
export function isA<Kind>(thrown: unknown, kind: abstract new (...given: never[]) => Kind): thrown is Kind {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}

// Something outside the log that a person should fix. The session goes on without it.

/** Something outside the log that a person should fix, such as a config file. The session goes on without it. */
export interface Problem {
  /** A file, or the name of an environment variable. */
  where: string;
  /** Both from 1, if known. */
  line?: number;
  column?: number;
  problem: string;
  /** Not an error: the project's file is ignored until the user trusts it. */
  needsTrust?: true;
}

/** On one line, like a compiler's message. */
export function problemText({ where, line, column, problem }: Problem): string {
  const place = [where, line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${hideQuotedKeys(problem)}`;
}
