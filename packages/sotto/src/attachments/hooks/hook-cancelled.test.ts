import { expect, it } from "vitest";
import { asRead } from "../../../../../test/support/reading.ts";
import { hookCancelled } from "./hook-cancelled.ts";

it("AC-2 is noted, and nothing is said", () => {
  expect(hookCancelled.examples.map(({ data }) => asRead(hookCancelled, data))).toEqual([""]);
});
