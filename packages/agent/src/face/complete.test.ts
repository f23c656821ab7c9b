// What Tab offers, on real files.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createComplete } from "./slash-commands.ts";

function project() {
  const cwd = mkdtempSync(join(tmpdir(), "sotto-complete-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, "src"));
  mkdirSync(join(cwd, "secrets"));
  for (const path of [
    "src/cart.ts",
    "src/card.ts",
    "src/.hidden",
    "src/two words.ts",
    "secrets/key.txt",
    "a.env",
  ])
    writeFileSync(join(cwd, path), "");
  return createComplete({ cwd, denyRead: ["secrets/", "*.env"] });
}

test.each([
  ["/co", [["/compact ", "/cost "], "/co"]],
  ["/model", [["/model "], "/model"]],
  ["/nothing", [[], "/nothing"]],
  ["@s", [["@src/"], "@s"]],
  ["Look at @src/ca", [["@src/card.ts", "@src/cart.ts"], "@src/ca"]],
  ["Look at @src/.h", [["@src/.hidden"], "@src/.h"]],
  ["@src/t", [[], "@src/t"]],
  ["@nowhere/x", [[], "@nowhere/x"]],
  ["me@src/ca", [[], "me@src/ca"]],
  ["a plain prompt", [[], "a plain prompt"]],
])("%s", async (line, expected) => {
  expect(await project()(line)).toEqual(expected);
});

test.each(["@", "@a", "@secrets", "@secrets/", "@secrets/k", "@./secrets/", "@src/../secrets/"])(
  "%s lists nothing that the agent may not read",
  async (line) => {
    const [candidates] = await project()(line);
    expect(candidates.filter((one) => /secrets|\.env/u.test(one))).toEqual([]);
  },
);
