import { expect, it } from "vitest";
import { asRead } from "../../../../../test/support/reading.ts";
import { hookNonBlockingError } from "./hook-non-blocking-error.ts";

it("AC-2 is noted, and nothing is said", () => {
  expect(hookNonBlockingError.examples.map(({ data }) => asRead(hookNonBlockingError, data))).toEqual([""]);
});
