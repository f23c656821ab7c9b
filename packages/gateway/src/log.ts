// What the log says of a request. No text, no keys: of an address only the path.

import type { IncomingHttpHeaders } from "node:http";
import type { Prefix } from "./prefix.ts";

export interface LogLine {
  level: "debug" | "info" | "warn" | "error";
  /** What happened, in a few words. */
  message: string;
  /** The id of the request: the client's `x-request-id`, or one of the gateway's own. */
  request?: string;
  method?: string;
  path?: string;
  upstream?: string;
  dialect?: string;
  status?: number;
  /** From the first byte of the request to the last of the answer. */
  ms?: number;
  /** Of these, before the request went on. */
  addedMs?: number;
  client?: string;
  session?: string;
  /** How the conversation was found. */
  foundBy?: string;
  reminders?: number;
  /** Why the request was sent as it came. */
  unchanged?: string;
  /** Whether it began as the last request of its conversation did. */
  prefix?: Prefix;
}

export type Log = (line: LogLine) => void;

/** A listener that fails must not fail a request. */
export function createLog(listener: Log | undefined): Log {
  return (line) => {
    try {
      listener?.(line);
    } catch {
      // Nobody is left to tell.
    }
  };
}

/** The client's own if it is one that can stand in a log. */
export function requestId({ "x-request-id": given }: IncomingHttpHeaders): string {
  return typeof given === "string" && /^[\w.:-]{1,128}$/u.test(given) ? given : crypto.randomUUID();
}
