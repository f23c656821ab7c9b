// The little a turn may wait for word about files that were just written.

import type { Outbox } from "./diagnostics.ts";

export interface UntilHeardOptions {
  /** Something is under way that is worth waiting for. */
  isBusy(): boolean;
  outbox: Outbox;
  waitMs: number;
  signal: AbortSignal;
}

const LOOK_EVERY_MS = 10;

/** Whatever was heard by the end of it is in the log. */
export async function untilHeard({ isBusy, outbox, waitMs, signal }: UntilHeardOptions): Promise<void> {
  const end = performance.now() + waitMs;
  // Word comes from several servers in several ways: it is looked for, for a moment at the most.
  while (!signal.aborted && performance.now() < end && (isBusy() || !outbox.isEmpty()))
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  if (!signal.aborted && !outbox.isEmpty()) await outbox.flush();
}
