// `npm run test:long`: searches and campaigns that take minutes; .ci/run runs them, `npm test` does not.
import { join } from "node:path";
import { mergeConfig } from "vitest/config";
import base from "../../vitest.config.ts";

export default mergeConfig(
  { ...base, plugins: [], test: { ...base.test, include: [] } },
  {
    root: join(import.meta.dirname, "../.."),
    test: { include: ["test/long/**/*.long.ts"], testTimeout: 600_000 },
  },
);
