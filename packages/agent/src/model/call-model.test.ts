import { expect, test } from "vitest";
import { pause } from "./call-model.ts";

test.each([
  [
    "before it began",
    (stop: AbortController, wait: () => Promise<void>) => {
      stop.abort("stopped");
      return wait();
    },
  ],
  [
    "while it lasted",
    (stop: AbortController, wait: () => Promise<void>) => {
      const waiting = wait();
      stop.abort("stopped");
      return waiting;
    },
  ],
])("a wait for the next try ends with what was stopped %s", async (_, run) => {
  const stop = new AbortController();
  await expect(run(stop, () => pause(3_600_000, stop.signal))).rejects.toBe("stopped");
});
