// Slow is not wrong: work that takes too long, as on a busy machine, is retried with more time.

import { SottoError } from "../../platform/errors.ts";
import type { Job } from "../../platform/platform.ts";
import { Serial } from "../../platform/serial.ts";
import type { LoadTools } from "./content.ts";

// Multiples of the time. The turn does not wait for the later attempts.
const STEPS = [1, 8, 64];

// One at a time, so that the other worker stays available.
const withMoreTime = new Serial();

/**
 * The result of a job; throws if it fails, or is too slow in every attempt. `job` creates it for a given time.
 * Without `patience` there is one attempt.
 */
export async function retrySlowWork<T extends object>(
  limitMs: number,
  job: (limitMs: number) => Job,
  { work, patience }: LoadTools,
): Promise<T> {
  const attempt = async (ms: number) => {
    const made = job(ms);
    const value = (await work({ ...made, limitMs: ms })) as T | Slow;
    if ("slow" in value) throw new SottoError("worker_slow", `${made.about} took longer than ${ms} ms`);
    return value;
  };
  const steps = patience === undefined ? STEPS.slice(0, 1) : STEPS;
  for (const [index, step] of steps.entries()) {
    const run = () => attempt(limitMs * step);
    try {
      return await (index === 0 || patience === undefined
        ? run()
        : whilePatient(withMoreTime.run(run), patience));
    } catch (error) {
      if (!isSlow(error) || step === steps.at(-1) || patience?.aborted) throw error;
    }
  }
  throw new SottoError("worker_failed", "it was not tried");
}

/** The result of a job that noticed that it takes too long. */
export interface Slow {
  slow: true;
}

export function isSlow(error: unknown): boolean {
  return error instanceof SottoError && error.code === "worker_slow";
}

function whilePatient<T>(running: Promise<T>, patience: AbortSignal): Promise<T> {
  running.catch(() => undefined);
  const end = Promise.withResolvers<never>();
  const giveUp = () =>
    end.reject(new SottoError("worker_slow", "it was still being prepared when the session ended"));
  if (patience.aborted) giveUp();
  patience.addEventListener("abort", giveUp, { once: true });
  return Promise.race([running, end.promise]).finally(() => patience.removeEventListener("abort", giveUp));
}
