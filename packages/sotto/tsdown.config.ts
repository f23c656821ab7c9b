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

// What `import "sotto"` loads is one file: opening twenty takes longer than reading it.
const rootModules = new Set<string>();

export default defineConfig({
  entry: {
    ...own,
    "index-node": "src/index-node.ts",
    "create-session": "src/create-session.ts",
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
  plugins: [
    {
      name: "root-modules",
      buildEnd() {
        const add = (id: string) => {
          if (rootModules.has(id)) return;
          rootModules.add(id);
          for (const imported of this.getModuleInfo(id)?.importedIds ?? []) add(imported);
        };
        for (const id of this.getModuleIds()) if (id.endsWith("src/index-node.ts")) add(id);
      },
    },
  ],
  outputOptions: { codeSplitting: { groups: [{ name: "root", test: (id) => rootModules.has(id) }] } },
  dts: { entry: [...Object.values(own), ...Object.values(doors)] },
});
