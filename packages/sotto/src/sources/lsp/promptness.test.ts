import { expect, it } from "vitest";
import { createResponseTimes } from "./timing.ts";

function open() {
  const clock = { now: 0 };
  const responseTimes = createResponseTimes(() => clock.now);
  const answer = (ms: number) => {
    responseTimes.asked("a");
    clock.now += ms;
    responseTimes.answered("a");
  };
  return { clock, responseTimes, answer };
}

it("is worth waiting while something just written is unanswered, and not longer", () => {
  const { clock, responseTimes } = open();
  expect(responseTimes.isWorth(200)).toBe(false);
  responseTimes.asked("a");
  expect(responseTimes.isWorth(200)).toBe(true);
  clock.now = 201;
  expect(responseTimes.isWorth(200)).toBe(false);
});

it("is not worth it where answers come late or never, and is again when they are quick", () => {
  const { responseTimes, answer } = open();
  for (let index = 0; index < 3; index++) answer(500);
  responseTimes.asked("a");
  expect(responseTimes.isWorth(200)).toBe(false);
  for (let index = 0; index < 6; index++) answer(50);
  responseTimes.asked("a");
  expect(responseTimes.isWorth(200)).toBe(true);
  for (let index = 0; index < 6; index++) responseTimes.asked("a");
  expect(responseTimes.isWorth(200)).toBe(false);
});
