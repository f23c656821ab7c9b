import { expect, it } from "vitest";
import { catalogue } from "../attachments/catalogue.ts";
import { optionKeys } from "./keys.ts";
import { optionKeys as optionsOf } from "./schema.ts";

it("every option of every type is explained, and nothing else is", () => {
  const options = new Set(catalogue.flatMap(optionsOf));
  expect(Object.keys(optionKeys).sort()).toEqual([...options].sort());
});
