// Whoever watches a rehearsal: what it is told, as it happens.

import type { Turn } from "sotto";

export interface Sent {
  bytes: number;
  /** Whether the request began with all of the one before. */
  prefix: "first" | "kept" | "broken" | "after compaction";
  /** The status of the call that failed before this one. */
  failed?: number;
  /** Whether the request is, byte for byte, the one before. */
  sameBytes?: boolean;
}

export interface Audience {
  happened(words: string): void;
  user(words: string): void;
  turn(turn: Turn, sent: Sent): void;
  model(words: string): void;
}
