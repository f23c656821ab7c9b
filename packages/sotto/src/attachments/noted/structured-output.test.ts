import { expect, it } from "vitest";
import { asRead } from "../../../../../test/support/reading.ts";
import { structuredOutput } from "./structured-output.ts";

it("AC-2 is noted, and nothing is said", () => {
  expect(structuredOutput.examples.map(({ data }) => asRead(structuredOutput, data))).toEqual([""]);
});
