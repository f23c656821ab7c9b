import { defineConfig } from "tsdown";
import { lazyConstants } from "./lazy-constants.ts";
import { sharedSchemas } from "./shared-schemas.ts";

const BUILTIN = /^let (\w+) = require\("(node:[^"]+)"\);/gmu;

const INTEROP = /^(\w+) = __toESM\(\1(?:, 1)?\);/gmu;

const PROCESS = 'import process from "node:process";';

// Where the library is installed: beside this package, nearly always. Asking for it takes ten times as long.
const BANNER = `
// Loading Node's own takes longer than all that is timed.
const performance = {
  now: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  get nodeTiming() {
    return process.getBuiltinModule("node:perf_hooks").performance.nodeTiming;
  },
};
const builtin = (name) => {
  const module = process.getBuiltinModule(name);
  return { __proto__: module, default: module };
};
let library;
const libraryUrl = () => {
  library ??= require("node:url").pathToFileURL(libraryPath()).href;
  return library;
};
const libraryPath = () => {
  const beside = require("node:path").join(__dirname, "../../sotto/dist/index.js");
  if (require("node:fs").existsSync(beside)) return beside;
  try {
    return require.resolve("sotto");
  } catch {
    return __filename;
  }
};`;

const DIRECT_FILES = new URL("../sotto/src/sources/files/direct-files.ts", import.meta.url).pathname;

/** Reading and loading a text of one byte a character takes 11 ms instead of 14. */
function inAscii(code: string): string {
  return code.replace(/[^\p{ASCII}]/gv, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** Modules that are imported on demand are part of the same file: loading one is no work, so nothing waits for it. */
function importedAtOnce(code: string): string {
  const imports: string[] = [];
  const found = code.replace(/(?<!typeof )import\("(\.[^"]+|node:fs\/promises)"\)/gu, (_, name) => {
    imports.push(`import * as atHand${imports.length} from "${name}";`);
    return `Promise.resolve(atHand${imports.length - 1})`;
  });
  return imports.join("") + found;
}

/** What `bin/run-compiled.js` runs. */
function asFunction(code: string): string {
  return `(function (require, __filename, __dirname) {${code}\n})`;
}

const shared = { platform: "node", target: "node22", dts: false } as const;

export default defineConfig([
  {
    ...shared,
    entry: {
      main: "src/main.ts",
      // Searches in a worker, which loads it by this name.
      "search-worker": "../agent/src/tools/search/search-worker.ts",
    },
    fixedExtension: false,
    // The reference agent and the gateway are packages for their own sake, and published as part of this one.
    deps: { alwaysBundle: [/^sotto-agent/, /^sotto-gateway/] },
  },
  {
    ...shared,
    // `sotto hook` runs for every step of an agent: the library is compiled into it, and only what it uses.
    entry: { hook: "src/agent-hooks/main.ts" },
    format: "cjs",
    minify: true,
    clean: false,
    // Jobs for workers are files of the library.
    define: { "import.meta.url": "libraryUrl()" },
    banner: BANNER,
    plugins: [
      sharedSchemas,
      {
        name: "direct-files",
        resolveId: (id, importer) =>
          id === "node:fs/promises" && importer !== DIRECT_FILES ? DIRECT_FILES : undefined,
      },
      {
        // All that is bundled is there already; what it evaluates to is made when it is needed.
        name: "at-hand",
        transform: (code) => ({ code: importedAtOnce(code.replace(PROCESS, "")), map: null }),
      },
      {
        // As a copy of Node's module with a getter for each of its hundred names, rolldown's way, it takes a millisecond.
        name: "interop",
        renderChunk: (code) => code.replace(INTEROP, "").replace(BUILTIN, 'const $1 = builtin("$2");'),
      },
      {
        name: "lazy-constants",
        renderChunk(code) {
          return lazyConstants(code, this.parse);
        },
      },
      {
        name: "ascii",
        generateBundle: (_, bundle) => {
          for (const chunk of Object.values(bundle))
            if (chunk.type === "chunk") chunk.code = asFunction(inAscii(chunk.code));
        },
      },
    ],
    deps: {
      alwaysBundle: [/^sotto(?!\/postgres)(-agent)?(\/|$)/, /^valibot/, /^yaml$/, /^smol-toml$/],
      neverBundle: [
        "@opentelemetry/api",
        "pg",
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
