// `npm run test:clients`: apart from the other tests, as it installs programs of hundreds of megabytes.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.check.ts", "../end-to-end/gateway.test.ts"],
    globalSetup: "./global-setup.ts",
    reporters: ["verbose"],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 1,
  },
});
