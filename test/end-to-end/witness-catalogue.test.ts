// Which types need a witness: the end of a whole run holds the witnesses of all tests against this list.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { catalogue } from "sotto/inspect";
import { expect, test } from "vitest";

test("AC-44 every type of the catalogue needs a witness", ({ task }) => {
  task.meta.awaited = catalogue.map(({ type }) => type);
  expect(task.meta.awaited.length).toBeGreaterThan(50);
});

test("AC-44 tests with witnesses record nothing themselves, and leave attachments alone", () => {
  const here = new URL("./", import.meta.url);
  const sources = readdirSync(fileURLToPath(here))
    .filter((name) => name.endsWith(".test.ts") && name !== "witness-catalogue.test.ts")
    .map((name) => [name, readFileSync(new URL(name, here), "utf8")] as const)
    .filter(([, text]) => /support\/witness(?:-pair)?\.ts/u.test(text));
  expect(sources.length).toBeGreaterThan(5);
  const stage = readFileSync(new URL("../support/witness-stage.ts", here), "utf8");
  for (const [name, text] of [...sources, ["witness-stage.ts", stage] as const])
    expect(text, name).not.toMatch(/\brecord\b|packages\/sotto\/src|type: "(?!noted|command)\w+_\w+"/u);
});
