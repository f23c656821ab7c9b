// The deadline of a turn: when its sources must stop, and when the turn itself gives up.

import type { Platform } from "../platform/platform.ts";

// The log may take a little longer than the sources; a turn is promised within the deadline plus 100 ms.
const GRACE_MS = 60;

/** What a turn says if its time is up during such work. */
const MISSED = {
  log: "the log did not answer in time",
  request: "the request was not read in time",
  sources: "the sources did not answer in time",
  types: "the types were not asked in time",
  turns: "an earlier turn did not end in time",
};

export interface Deadline {
  signal: AbortSignal;
  /** Half of the time, for what the user's prompt asks for. */
  promptSignal: AbortSignal;
  late: Promise<"late">;
  /** Begins the next part of the work. */
  enter(work: keyof typeof MISSED): void;
  /** What was under way when the time was up. */
  missed(): string;
  stop(): void;
}

/** Signals the sources when their time is up; a little later the turn itself gives up. */
export function startDeadline(platform: Platform, timeoutMs: number): Deadline {
  const whole = new AbortController();
  const reason = { late: false };
  const giveUp = Promise.withResolvers<"late">();
  const from = platform.monotonic();
  // One timer after the other: nearly every turn stops the first. If one was held up, the next is the sooner.
  const at = (ms: number, run: () => void) => {
    cancel = platform.timer(Math.max(0, ms - (platform.monotonic() - from)), run);
  };
  let cancel: () => void = () => undefined;
  // Most turns have no prompt.
  let half: AbortController | undefined;
  let isHalf = false;
  at(timeoutMs / 2, () => {
    at(timeoutMs, () => {
      at(timeoutMs + GRACE_MS, () => {
        reason.late = true;
        giveUp.resolve("late");
      });
      whole.abort(reason);
    });
    half?.abort(reason);
    isHalf = true;
  });
  let underWay: keyof typeof MISSED = "request";
  return {
    signal: whole.signal,
    get promptSignal() {
      half ??= new AbortController();
      if (isHalf) half.abort(reason);
      return half.signal;
    },
    late: giveUp.promise,
    // Work that holds the thread ends before a timer says that it took too long.
    enter: (work) => {
      if (platform.monotonic() - from < timeoutMs + GRACE_MS) underWay = work;
    },
    missed: () => MISSED[underWay],
    stop: () => cancel(),
  };
}

export function isLate({ signal }: Pick<Deadline, "signal">): boolean {
  return signal.aborted && (signal.reason as { late: boolean }).late;
}

export function within<T>(late: Promise<"late">, work: Promise<T>): Promise<T | "late"> {
  work.catch(() => undefined);
  return Promise.race([work, late]);
}
