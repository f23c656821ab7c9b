// What the log says of a request. No text, no keys: of an address only the path.

export interface LogLine {
  level: "info" | "warn" | "error";
  /** What happened, in a few words. */
  message: string;
  /** Of the request, to tell lines apart. */
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
