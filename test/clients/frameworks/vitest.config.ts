// `npm run test:frameworks`: apart from the other tests, as it installs packages of hundreds of megabytes.
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["sotto-source", "node", "import", "default"] },
  ssr: { resolve: { conditions: ["sotto-source", "node", "import", "default"] } },
  test: {
    root: import.meta.dirname,
    include: ["*.check.ts"],
    globalSetup: "./global-setup.ts",
    reporters: ["verbose"],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 1,
  },
});
