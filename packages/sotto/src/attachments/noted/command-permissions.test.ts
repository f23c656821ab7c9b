import { expect, it } from "vitest";
import { asRead } from "../../../../../test/support/reading.ts";
import { commandPermissions } from "./command-permissions.ts";

it("AC-2 is noted, and nothing is said", () => {
  expect(commandPermissions.examples.map(({ data }) => asRead(commandPermissions, data))).toEqual([""]);
});
