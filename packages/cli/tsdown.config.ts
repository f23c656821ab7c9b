import { defineConfig } from "tsdown";

export default defineConfig({
  entry: {
    main: "src/main.ts",
    // Searches in a worker, which loads it by this name.
    "search-worker": "src/host/tools/search/search-worker.ts",
  },
  platform: "node",
  target: "node22",
  fixedExtension: false,
  dts: false,
});
