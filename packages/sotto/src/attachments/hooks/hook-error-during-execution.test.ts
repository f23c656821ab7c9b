import { expect, it } from "vitest";
import { asRead } from "../../../../../test/support/reading.ts";
import { hookErrorDuringExecution } from "./hook-error-during-execution.ts";

it("AC-2 is noted, and nothing is said", () => {
  expect(hookErrorDuringExecution.examples.map(({ data }) => asRead(hookErrorDuringExecution, data))).toEqual(
    [""],
  );
});
