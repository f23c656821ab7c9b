import { defineConfig } from "tsdown";

const own = Object.fromEntries(
  ["index", "extend", "inspect", "hooks", "mcp", "ide", "team", "internal", "internal-patterns"].map(
    (name) => [name, `src/${name}.ts`],
  ),
);
const doors = Object.fromEntries(
  [
    "ai-sdk",
    "anthropic",
    "google-genai",
    "openai",
    "claude-agent-sdk",
    "langchain",
    "mastra",
    "openai-agents",
  ].map((name) => [name, `src/integrations/${name}.ts`]),
);

export default defineConfig({
  entry: {
    ...own,
    // Integrations, each a door of its own.
    ...doors,
    // Jobs for the worker, which loads them by these names.
    "yaml-jobs": "src/sources/yaml-jobs.ts",
    "mention-image-jobs": "src/sources/mentions/image-jobs.ts",
    "mention-notebook-jobs": "src/sources/mentions/notebook-jobs.ts",
    "mention-pdf-jobs": "src/sources/mentions/pdf-jobs.ts",
    "hook-jobs": "src/sources/hook-commands/jobs.ts",
    "diff-job": "src/sources/files/diff/snippet.ts",
  },
  platform: "node",
  target: "node22",
  fixedExtension: false,
  deps: {
    // The library has no dependency; only what is used of these comes along, as most of an import's time is compiling.
    alwaysBundle: [/^valibot/, /^yaml$/, /^smol-toml$/],
    // Optional parts, found where the host has installed them.
    neverBundle: ["@opentelemetry/api", "sharp", "unpdf", "vscode-jsonrpc/node", /^@modelcontextprotocol\//],
  },
  dts: { entry: [...Object.values(own), ...Object.values(doors)] },
});
