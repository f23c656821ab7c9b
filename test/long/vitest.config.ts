// `npm run test:long`: searches and campaigns that take minutes, and all tests that count, with their whole count.
// `npm test` has a twentieth of these counts, and no campaigns; .ci/run has the counting tests there (SOTTO_COUNTED), not twice.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { mergeConfig } from "vitest/config";
import base from "../../vitest.config.ts";
import { slowFiles } from "../support/slow-files.ts";

const root = join(import.meta.dirname, "../..");
const counting = globSync("{packages/*/src,test/*}/**/*.test.ts", { cwd: root }).filter((path) =>
  /support\/(?:runs|dialect-properties|store-contract)\.ts/u.test(readFileSync(join(root, path), "utf8")),
);

export default mergeConfig(
  { ...base, plugins: [], test: { ...base.test, include: [], exclude: [] } },
  {
    root,
    test: {
      include: ["test/long/**/*.long.ts", ...slowFiles, ...(process.env.SOTTO_COUNTED ? [] : counting)],
      exclude: ["**/node_modules/**"],
      env: { SOTTO_RUNS: process.env.SOTTO_RUNS ?? "1" },
    },
  },
);
