import { expect, it } from "vitest";
import { asRead } from "../../../../../test/support/reading.ts";
import { hookSystemMessage } from "./hook-system-message.ts";

it("AC-2 is noted, and nothing is said", () => {
  expect(hookSystemMessage.examples.map(({ data }) => asRead(hookSystemMessage, data))).toEqual([""]);
});
