import { expect, it } from "vitest";
import { asRead } from "../../../../../test/support/reading.ts";
import { hookPermissionDecision } from "./hook-permission-decision.ts";

it("AC-2 is noted, and nothing is said", () => {
  expect(hookPermissionDecision.examples.map(({ data }) => asRead(hookPermissionDecision, data))).toEqual([
    "",
  ]);
});
