// What the engine needs from outside: time, randomness, hashing. It uses nothing else of the machine.

/** A job that may block a thread: an exported function of a module, with input that can be cloned, without shared memory. */
export interface Job {
  /** A `file:` URL. */
  module: string;
  name: string;
  input: unknown;
  /** What it is about, such as a file and its pattern, for error messages. */
  about?: string;
  limitMs?: number;
}

export interface Platform {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from any fixed point, for durations. */
  monotonic(): number;
  /** Calls back once; returns a function that cancels. */
  timer(ms: number, run: () => void): () => void;
  /** Calls back once, if the process still runs then: it does not keep it running. */
  backgroundTimer(ms: number, run: () => void): void;
  uuid(): string;
  /** From 0 to below 1. */
  random(): number;
  hash(text: string): string;
  /** Many texts will be hashed: what makes it fast is worth loading. */
  hashMuch(): void;
  toBase64(bytes: Uint8Array): string;
  fromBase64(text: string): Uint8Array;
  /** The prefix of this process's owner names: `host:pid:`. */
  owner: string;
  /** False only when the owner is known to be gone. */
  isOwnerAlive(owner: string): boolean;
  /**
   * Runs a job in a worker. A job that takes too long is ended with the code `worker_slow`, and not run again until
   * its input changes or it gets more time.
   */
  work(job: Job): Promise<unknown>;
}
