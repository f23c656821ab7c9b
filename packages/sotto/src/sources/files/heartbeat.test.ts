import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createHeartbeat } from "./heartbeat.ts";

let time = 0;
beforeEach(() => {
  time = 1000;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

/** Time goes by; the loop turns, or stands still. */
const pass = (ms: number, isBlocked = false) => {
  time += ms;
  if (!isBlocked) vi.advanceTimersByTime(ms);
};

describe("the heartbeat", () => {
  it("says nothing while the loop turns, however long nobody asks", () => {
    const heartbeat = createHeartbeat(() => time);
    heartbeat.start();
    for (let beat = 0; beat < 100; beat++) pass(100);
    expect(heartbeat.mayHaveLost()).toBe(false);
  });

  it("tells of a stall once, whether the loop has turned since or not", () => {
    const heartbeat = createHeartbeat(() => time);
    heartbeat.start();
    pass(300, true);
    expect([heartbeat.mayHaveLost(), heartbeat.mayHaveLost()]).toEqual([true, false]);
    pass(300, true);
    for (let beat = 0; beat < 10; beat++) pass(100);
    expect([heartbeat.mayHaveLost(), heartbeat.mayHaveLost()]).toEqual([true, false]);
  });

  it("tells of a flood of events once; as many over a longer time are none", () => {
    const heartbeat = createHeartbeat(() => time);
    heartbeat.start();
    for (let event = 0; event < 10_000; event++) heartbeat.count();
    pass(100);
    expect([heartbeat.mayHaveLost(), heartbeat.mayHaveLost()]).toEqual([true, false]);
    for (let event = 0; event < 10_000; event++) {
      heartbeat.count();
      if (event % 1000 === 0) pass(100);
    }
    expect(heartbeat.mayHaveLost()).toBe(false);
  });

  it("says nothing before it began and after it ended", () => {
    const heartbeat = createHeartbeat(() => time);
    expect(heartbeat.mayHaveLost()).toBe(false);
    heartbeat.start();
    pass(300, true);
    heartbeat.stop();
    expect(heartbeat.mayHaveLost()).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
