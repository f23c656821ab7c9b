// What one of several processes on the same sessions is told, and what it writes down.

export interface ProcessLife {
  directory: string;
  /** A path, or the address of a Postgres server. */
  store: string;
  sessions: string[];
  /** Names this life: no other process has it. */
  name: string;
  seed: number;
  /** Only says what is due, and ends when that is nothing. */
  drains: boolean;
  /** The machine it believes to be on. */
  machine?: string;
}

/** What a process writes down, each line before the step that follows it. */
export type Line =
  | { kind: "acknowledged"; word: string }
  /** What it would have sent: canaries by the id of the reminder that says them. */
  | { kind: "sent"; turn: string; at: number; said: { id: string; words: string[] }[] }
  | { kind: "failed"; turn: string; at: number }
  | { kind: "committed"; turn: string; at: number };

/** How long a claim outlives a process on another machine. Renewed while it lives. */
export const LEASE_MS = 6000;
