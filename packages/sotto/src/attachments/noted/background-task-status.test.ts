import { expect, it } from "vitest";
import { asRead } from "../../../../../test/support/reading.ts";
import { backgroundTaskStatus } from "./background-task-status.ts";

it("AC-2 is noted, and nothing is said", () => {
  expect(backgroundTaskStatus.examples.map(({ data }) => asRead(backgroundTaskStatus, data))).toEqual([""]);
});
