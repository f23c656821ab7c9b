// What the core needs from outside: time, randomness, hashing. Nothing in core reaches for them by itself.

export interface Platform {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from any fixed point, for durations. */
  monotonic(): number;
  /** Calls back once; gives a function that cancels. */
  timer(ms: number, run: () => void): () => void;
  uuid(): string;
  hash(text: string): string;
  toBase64(bytes: Uint8Array): string;
  fromBase64(text: string): Uint8Array;
  /** Names this process: `host:pid:`. */
  owner: string;
  /** False only when the owner is known to be gone. */
  isOwnerAlive(owner: string): boolean;
}
