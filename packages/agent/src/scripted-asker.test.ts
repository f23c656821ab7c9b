// The pretended user's answers, as the agent's questions take them.

import { expect, test } from "vitest";
import type { Asker } from "./agent-events.ts";
import { createScriptedAsker } from "./open-run.ts";

const request = { toolName: "Bash", title: "ls" };
const options = [{ label: "Red" }, { label: "Blue" }];

function asker(...answers: string[]): Asker {
  return createScriptedAsker({ nextAnswer: () => answers.shift() });
}

test.each([
  ["yes", "yes"],
  ["always", "always"],
  ["no", "no"],
  ["rather not", "no"],
])("%s permits: %s", async (answer, permitted) => {
  expect(await asker(answer).permit(request)).toBe(permitted);
});

test.each([
  ["2", "Blue"],
  ["Red", "Red"],
  ["Green", "Green"],
])("%s chooses %s", async (answer, chosen) => {
  expect(await asker(answer).choose("Which?", options)).toBe(chosen);
});

test.each([
  ["yes", { approved: true }],
  ["no", { approved: false }],
  ["Add tests.", { approved: false, feedback: "Add tests." }],
])("%s about a plan", async (answer, decision) => {
  expect(await asker(answer).approvePlan("# Plan", undefined)).toEqual(decision);
});

test("without an answer in the script another asker is asked, else it is no", async () => {
  const person: Asker = {
    permit: async () => "always",
    choose: async () => "Blue",
    approvePlan: async () => ({ approved: true }),
  };
  const all = (one: Asker) =>
    Promise.all([one.permit(request), one.choose("Which?", options), one.approvePlan("", undefined)]);
  expect(await all(createScriptedAsker({ nextAnswer: () => undefined }, person))).toEqual([
    ...["always", "Blue", { approved: true }],
  ]);
  expect(await all(asker())).toEqual(["no", "Red", { approved: false }]);
});
