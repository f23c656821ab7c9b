import { dirname, resolve } from "node:path";
import { defineConfig } from "tsdown";
import { engineScript } from "./engine-script.ts";
import { shortLines } from "./short-lines.ts";

const own = Object.fromEntries(
  [
    "index",
    "extend",
    "inspect",
    "hooks",
    "mcp",
    "ide",
    "team",
    "postgres",
    "internal",
    "internal-patterns",
  ].map((name) => [name, `src/${name}.ts`]),
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

// What `import "sotto"` loads is one file, and what every first turn loads another: finding, opening and linking eighty
// takes longer than reading them.
const rootModules = new Set<string>();
const turnModules = new Set<string>();
const sharedModules = new Set<string>();

/** Loaded by a worker, or by a program that only matches patterns: not with a whole session. */
const APART = ["jobs.ts", "src/sources/files/diff/snippet.ts", "src/internal-patterns.ts"];

const PROCESS = 'import process from "node:process";';

/** Imported by a session on demand, and by every session: it asks all sources. */
const FIRST_TURN = [
  "create-session",
  "sources/config-files/load-config",
  "sources/files/changes",
  "sources/files/io-limit",
  "sources/files/permissions",
  "sources/files/project",
  "sources/files/reader",
  "sources/ide/editor-events",
  "sources/instructions/discover",
  "sources/instructions/instructions",
  "sources/lsp/diagnostics",
  "sources/mentions/mentioned-resources",
  "sources/mentions/mentions",
  "sources/mentions/parse-mentions",
  "sources/mentions/resolve",
  "sources/mentions/restored-files",
  "sources/past-sessions",
  "sources/reminders/reminders",
  "sources/team/mailbox",
  "sources/templates",
  "sources/trust/user-trust-store",
].map((name) => `src/${name}.ts`);

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
  // A quarter of what is read otherwise is spaces and comments. Names stay as they are, for stack traces.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  deps: {
    // The library has no dependency; only what is used of these comes along, as most of an import's time is compiling.
    alwaysBundle: [/^valibot/, /^yaml$/, /^smol-toml$/],
    // Optional parts, found where the host has installed them.
    neverBundle: [
      "@opentelemetry/api",
      "pg",
      "sharp",
      "unpdf",
      "vscode-jsonrpc/node",
      /^@modelcontextprotocol\//,
    ],
  },
  plugins: [
    {
      // Their chunk is there already: an import on demand would only open one more file that leads to it.
      name: "first-turn",
      transform(code, id) {
        const imports: string[] = [];
        const found = code.replace(/(?<!typeof )import\("(\.[^"]+)"\)/gu, (text, name) => {
          if (!FIRST_TURN.some((path) => resolve(dirname(id), name).endsWith(path))) return text;
          imports.push(`import * as firstTurn${imports.length} from "${name}";`);
          return `Promise.resolve(firstTurn${imports.length - 1})`;
        });
        return imports.length === 0 ? undefined : { code: `${imports.join("")}${found}`, map: null };
      },
    },
    {
      // The same as the global one, but importing it opens the standard streams.
      name: "global-process",
      transform: (code) =>
        code.includes(PROCESS) ? { code: code.replace(PROCESS, ""), map: null } : undefined,
    },
    {
      name: "root-modules",
      buildEnd() {
        const add = (to: Set<string>, id: string) => {
          if (rootModules.has(id) || to.has(id)) return;
          to.add(id);
          for (const imported of this.getModuleInfo(id)?.importedIds ?? []) add(to, imported);
        };
        const addAll = (to: Set<string>, names: readonly string[]) => {
          for (const id of this.getModuleIds()) if (names.some((name) => id.endsWith(name))) add(to, id);
        };
        addAll(rootModules, ["src/index-node.ts"]);
        addAll(turnModules, FIRST_TURN);
        const apart = new Set<string>();
        addAll(apart, APART);
        for (const id of apart) if (turnModules.delete(id)) sharedModules.add(id);
      },
    },
    shortLines,
    engineScript,
  ],
  outputOptions: {
    // `#compiled/*` in package.json leads to these.
    chunkFileNames: ({ name }) => (["root", "turn"].includes(name) ? "[name].js" : "[name]-[hash].js"),
    codeSplitting: {
      groups: [
        { name: "root", test: (id) => rootModules.has(id) },
        { name: "shared", test: (id) => sharedModules.has(id) },
        { name: "turn", test: (id) => turnModules.has(id) },
      ],
    },
  },
  dts: { entry: [...Object.values(own), ...Object.values(doors)] },
});
