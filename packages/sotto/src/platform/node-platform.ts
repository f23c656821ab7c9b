// Time, randomness and hashing on Node.

import type { Platform } from "./platform.ts";
import { loadCrypto, sha256 } from "./sha256.ts";
import type { WorkerPool } from "./worker-pool.ts";

const HASH_LENGTH = 32;
const room = Buffer.alloc(HASH_LENGTH);

/** Written anew, as a piece of a text keeps the whole text in memory, and sessions keep many hashes. */
function hash(text: string): string {
  room.write(sha256(text, "base64url"), 0, HASH_LENGTH, "latin1");
  return room.toString("latin1", 0, HASH_LENGTH);
}

/** Unique but not secret: the runtime's own random numbers are good enough for a name. */
function uuid(): string {
  const digits = (count: number) =>
    Math.floor(Math.random() * 16 ** count)
      .toString(16)
      .padStart(count, "0");
  const variant = (8 + Math.floor(Math.random() * 4)).toString(16);
  const parts = [digits(8), digits(4), `4${digits(3)}`, variant + digits(3), digits(6) + digits(6)];
  // One text, not a tree of its parts: a session keeps it.
  return parts.join("-");
}

let pool: Promise<WorkerPool> | undefined;

export const nodePlatform: Platform = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(ms, run) {
    if (ms === 0) {
      // Behind what waits already, and without the millisecond that a timer takes at least.
      const next = setImmediate(run);
      return () => clearImmediate(next);
    }
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  backgroundTimer: (ms, run) => void setTimeout(run, ms).unref(),
  uuid,
  random: () => Math.random(),
  hash,
  hashMuch: () => void loadCrypto(),
  toBase64: (bytes) => Buffer.from(bytes).toString("base64"),
  fromBase64: (text) => Buffer.from(text, "base64"),
  get owner() {
    return `${process.getBuiltinModule("node:os").hostname()}:${process.pid}:`;
  },
  isOwnerAlive,
  async work(job) {
    // One pool for the whole process, loaded when there is a job for it.
    pool ??= import("./worker-pool.ts").then(({ createWorkerPool }) => createWorkerPool({ hash }));
    return (await pool).run(job);
  },
};

// Whether the process that owns a claim may still be running.

/** Owners are named `host:pid:nonce`. An owner counts as dead only if it is on this host and there is no such pid. */
export function isOwnerAlive(owner: string): boolean {
  const [, host, pid] = /^(.+):(\d+):[^:]*$/u.exec(owner) ?? [];
  if (host !== process.getBuiltinModule("node:os").hostname() || Number(pid) === 0) return true;
  return isRunning(Number(pid));
}

/** Whether there is a process with this id, of any user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
