import { expect, it } from "vitest";
import { catalogue } from "../attachments/index.ts";
import { optionKeys as optionsOf } from "./config.ts";
import { optionKeys } from "./config-keys.ts";

it("every option of every type is explained, and nothing else is", () => {
  const options = new Set(catalogue.flatMap(optionsOf));
  expect(Object.keys(optionKeys).sort()).toEqual([...options].sort());
});
