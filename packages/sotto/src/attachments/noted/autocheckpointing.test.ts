import { expect, it } from "vitest";
import { asRead } from "../../../../../test/support/reading.ts";
import { autocheckpointing } from "./autocheckpointing.ts";

it("AC-2 is noted, and nothing is said", () => {
  expect(autocheckpointing.examples.map(({ data }) => asRead(autocheckpointing, data))).toEqual([""]);
});
