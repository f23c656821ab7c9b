// The named points at which a host can be killed, and the killer that waits at one of them.

/** What a host writes into its store: the session's begin, an event, an offer, the two ways to settle one. */
export const operations = ["open", "record", "offer", "commit", "abandon"] as const;
export type Operation = (typeof operations)[number];

const ofStore = operations.flatMap((operation) => [
  `before-append-${operation}` as const,
  // The entries are in the transaction, its COMMIT has not run.
  `inside-append-${operation}` as const,
  `after-append-${operation}` as const,
]);

const ofHost = [
  "before-snapshot",
  "after-snapshot",
  // `record` was called and has not resolved.
  "inside-record",
  // Durable, but the host has not written down that it was told so.
  "after-record",
  "before-turn",
  "before-send",
  // The provider has the request, nothing of its answer was read.
  "after-send",
  "inside-answer",
  "after-answer",
  // The new history lies beside the old one.
  "inside-save",
  "after-save",
  "before-commit",
  "inside-commit",
  "after-commit",
  "before-abandon",
  "inside-abandon",
  "after-abandon",
  "before-close",
  "after-close",
] as const;

export const killPoints = [...ofStore, ...ofHost];
export type KillPoint = (typeof killPoints)[number];

/** Where to die: the n-th time that the point is reached. */
export interface Kill {
  point: KillPoint;
  occurrence: number;
}

export type Reach = (point: KillPoint) => void;

export function createKiller(kill: Kill | undefined): Reach {
  let left = kill?.occurrence ?? 0;
  return (point) => {
    if (point !== kill?.point || --left !== 0) return;
    process.kill(process.pid, "SIGKILL");
    // Not a step further, should the signal take its time.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
}
