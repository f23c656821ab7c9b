import { expect, it } from "vitest";
import { createPromptness } from "./timing.ts";

function open() {
  const clock = { now: 0 };
  const promptness = createPromptness(() => clock.now);
  const answer = (ms: number) => {
    promptness.asked("a");
    clock.now += ms;
    promptness.answered("a");
  };
  return { clock, promptness, answer };
}

it("is worth waiting while something just written is unanswered, and not longer", () => {
  const { clock, promptness } = open();
  expect(promptness.isWorth(200)).toBe(false);
  promptness.asked("a");
  expect(promptness.isWorth(200)).toBe(true);
  clock.now = 201;
  expect(promptness.isWorth(200)).toBe(false);
});

it("is not worth it where answers come late or never, and is again when they are quick", () => {
  const { promptness, answer } = open();
  for (let index = 0; index < 3; index++) answer(500);
  promptness.asked("a");
  expect(promptness.isWorth(200)).toBe(false);
  for (let index = 0; index < 6; index++) answer(50);
  promptness.asked("a");
  expect(promptness.isWorth(200)).toBe(true);
  for (let index = 0; index < 6; index++) promptness.asked("a");
  expect(promptness.isWorth(200)).toBe(false);
});
