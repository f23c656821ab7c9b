import fc from "fast-check";
import { expect, it } from "vitest";
import { backOff } from "../clock.ts";
import { createFloodLimit } from "./transports.ts";

const limits = { bytes: 1000, bytesPerSecond: 100, messages: 10, messagesPerSecond: 1 };

it("lets bursts through, refills with time, and stays shut after a flood", () => {
  let now = 0;
  const gate = createFloodLimit(() => now, limits);
  expect(gate.bytes(1000)).toBe(true);
  now = 5000;
  expect(gate.bytes(500)).toBe(true);
  expect(gate.bytes(1)).toBe(false);
  now = 1_000_000;
  expect(gate.message()).toBe(false);
  expect(gate.problem()).toBe("it sent more than 0 MB at once");
});

it("never lets more through than the burst and what time has brought", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2000), { maxLength: 200 }), (steps) => {
      let now = 0;
      const gate = createFloodLimit(() => now, limits);
      let passed = 0;
      for (const step of steps) {
        now += step;
        if (!gate.message()) break;
        passed += 1;
      }
      expect(passed).toBeLessThanOrEqual(10 + now / 1000);
    }),
  );
});

it("pauses grow, to five minutes at the most, and differ by up to half", () => {
  const most = [1, 2, 3, 9, 10, 100].map((failures) => backOff(failures, { random: () => 1 }));
  expect(most).toEqual([1000, 2000, 4000, 256_000, 300_000, 300_000]);
  expect(backOff(3, { random: () => 0 })).toBe(2000);
});
