// Which types need a witness: the end of a whole run holds the witnesses of all tests against this list.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { catalogue } from "sotto";
import { expect, test } from "vitest";

/** Nothing in `sotto run` is their source yet, and why. */
const notYet: Record<string, string> = {
  ultramemory: "only a host provides such content, and the reference agent does not",
  diagnostics: "the reference agent has no checker of its own; language servers have a type of their own",
  background_remote_session_status: "the reference agent starts no remote sessions",
};

test("AC-44 every type of the catalogue needs a witness, but for those that have no source yet", ({
  task,
}) => {
  const types = catalogue.map(({ type }) => type);
  expect(Object.keys(notYet).filter((type) => !types.includes(type))).toEqual([]);
  task.meta.awaited = types.filter((type) => !(type in notYet));
});

test("AC-44 tests with witnesses record nothing themselves, and leave attachments alone", () => {
  const here = new URL("./", import.meta.url);
  const sources = readdirSync(fileURLToPath(here))
    .filter((name) => name.endsWith(".test.ts") && name !== "witness-catalogue.test.ts")
    .map((name) => [name, readFileSync(new URL(name, here), "utf8")] as const)
    .filter(([, text]) => text.includes("/support/witness"));
  expect(sources.length).toBeGreaterThan(5);
  const stage = readFileSync(new URL("../support/witness-stage.ts", here), "utf8");
  for (const [name, text] of [...sources, ["witness-stage.ts", stage] as const])
    expect(text, name).not.toMatch(/\brecord\b|packages\/sotto\/src|type: "(?!noted|command)\w+_\w+"/u);
});
