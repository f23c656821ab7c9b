import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["sotto-source", "node", "import", "default"] },
  ssr: { resolve: { conditions: ["sotto-source", "node", "import", "default"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
