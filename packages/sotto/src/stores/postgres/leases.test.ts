// Leases are renewed while the process lives, and no longer than a call of a model may take.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLeases, type Lease } from "./leases.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const lease: Lease = { session: "s", keys: ["a", "b"], owner: "me", leaseMs: 9000 };

function renewing(left = (keys: readonly string[]) => keys.length) {
  const renewed: string[] = [];
  const leases = createLeases(async ({ session, keys }) => {
    renewed.push(`${session} ${keys.join(" ")}`);
    return left(keys);
  });
  return { leases, renewed };
}

it("is renewed three times in its length, until its keys are settled", async () => {
  const { leases, renewed } = renewing();
  leases.hold(lease);
  await vi.advanceTimersByTimeAsync(9000);
  expect(renewed).toEqual(["s a b", "s a b", "s a b"]);
  leases.drop("s", ["a"]);
  await vi.advanceTimersByTimeAsync(3000);
  expect(renewed.at(-1)).toBe("s b");
  leases.drop("s", ["b"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(renewed).toHaveLength(4);
});

it("ends when it was lost, when it is short, after a quarter of an hour, and when the store is closed", async () => {
  const lost = renewing(() => 0);
  lost.leases.hold(lease);
  const short = renewing();
  short.leases.hold({ ...lease, leaseMs: 4000 });
  const long = renewing();
  long.leases.hold(lease);
  const closed = renewing();
  closed.leases.hold(lease);
  closed.leases.close();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect([lost.renewed.length, short.renewed.length, long.renewed.length, closed.renewed.length]).toEqual([
    1, 0, 300, 0,
  ]);
});

it("is tried again where the database did not answer", async () => {
  let tries = 0;
  const leases = createLeases(async () => {
    tries++;
    throw new Error("gone");
  });
  leases.hold(lease);
  await vi.advanceTimersByTimeAsync(9000);
  expect(tries).toBe(3);
  leases.close();
});

it("is not renewed when it outlives every call anyway, as one of months", async () => {
  const { leases, renewed } = renewing();
  leases.hold({ ...lease, leaseMs: 90 * 24 * 3600 * 1000 });
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(renewed).toEqual([]);
});
