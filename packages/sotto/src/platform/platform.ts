// What the core needs from outside: time, randomness, hashing. Nothing in core reaches for them by itself.

/** Work that can hold the thread: an exported function of a module, with input that can be cloned. */
export interface Job {
  /** A `file:` URL. */
  module: string;
  name: string;
  input: unknown;
  /** What it works on, for the words of a failure: a file and its pattern. */
  about?: string;
  limitMs?: number;
}

export interface Platform {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from any fixed point, for durations. */
  monotonic(): number;
  /** Calls back once; gives a function that cancels. */
  timer(ms: number, run: () => void): () => void;
  uuid(): string;
  /** From 0 to below 1. */
  random(): number;
  hash(text: string): string;
  toBase64(bytes: Uint8Array): string;
  fromBase64(text: string): Uint8Array;
  /** Names this process: `host:pid:`. */
  owner: string;
  /** False only when the owner is known to be gone. */
  isOwnerAlive(owner: string): boolean;
  /**
   * Runs a job beside the thread. One that takes too long is ended, as `worker_slow`, and not tried again until its input
   * changes or it gets more time.
   */
  work(job: Job): Promise<unknown>;
}
