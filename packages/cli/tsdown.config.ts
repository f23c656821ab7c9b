import { defineConfig } from "tsdown";

const shared = { platform: "node", target: "node22", dts: false } as const;

export default defineConfig([
  {
    ...shared,
    entry: {
      main: "src/main.ts",
      // Searches in a worker, which loads it by this name.
      "search-worker": "src/host/tools/search/search-worker.ts",
    },
    fixedExtension: false,
  },
  {
    ...shared,
    // `sotto hook` runs for every step of an agent: the library is compiled into it, and only what it uses.
    entry: { hook: "src/hooks/main.ts" },
    format: "cjs",
    minify: true,
    clean: false,
    define: { "import.meta.url": "libraryUrl()" },
    // Jobs for workers are files of the library, found where that is installed.
    banner: `const libraryUrl = () => require("node:url").pathToFileURL(require.resolve("sotto")).href;`,
    deps: {
      alwaysBundle: [/^sotto$/, /^valibot/, /^ignore$/, /^yaml$/, /^smol-toml$/],
      neverBundle: [
        "@opentelemetry/api",
        "sharp",
        "unpdf",
        "vscode-jsonrpc/node",
        /^@modelcontextprotocol\//,
      ],
    },
    inputOptions: { resolve: { conditionNames: ["sotto-source", "node", "import", "default"] } },
    outputOptions: { codeSplitting: false },
  },
]);
