import { expect, it } from "vitest";
import { asRead } from "../../../../../test/support/reading.ts";
import { taskReminder } from "./task-reminder.ts";

it("AC-2 is noted, and nothing is said", () => {
  expect(taskReminder.examples.map(({ data }) => asRead(taskReminder, data))).toEqual([""]);
});
