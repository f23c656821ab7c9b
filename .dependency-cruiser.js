// The arrows of ARCHITECTURE.md. `npm run arrows` fails as well when nothing was cruised.

const library = "^packages/sotto/src";
const tests = "\\.test\\.ts$";

function only(name, from, to, comment) {
  return { name, comment, severity: "error", from: { path: from, pathNot: tests }, to: { pathNot: to } };
}

export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    only(
      "core-only-core",
      `${library}/core`,
      [`${library}/core`, "node_modules/valibot"],
      "core imports only core and the schema library",
    ),
    only(
      "attachments-only-core",
      `${library}/attachments/.+/`,
      [`${library}/core`, "node_modules/valibot", "$0", "\\.text\\.ts$"],
      "attachments are islands",
    ),
    only(
      "dialects-only-core",
      `${library}/dialects`,
      [`${library}/core`, `${library}/dialects`],
      "dialects import core and themselves",
    ),
    only(
      "sources-only-core",
      `${library}/sources`,
      [
        `${library}/core`,
        `${library}/sources`,
        "node_modules/(ignore|yaml|smol-toml|sharp|unpdf|vscode-jsonrpc|vscode-languageserver-protocol|@modelcontextprotocol/client)/",
        "^node:",
        "^(fs|http|os|path|process|crypto|worker_threads|child_process|events|module|net|stream|timers|url)",
      ],
      "sources import core and themselves",
    ),
    only(
      "stores-only-core",
      `${library}/stores`,
      [`${library}/core`, `${library}/stores`, "^node:", "^(fs|os|path|process|sqlite|url)"],
      "stores import core and themselves",
    ),
    only(
      "integrations-only-core",
      `${library}/integrations`,
      [`${library}/core`, `${library}/dialects`, `${library}/integrations`],
      "integrations import core, dialects and themselves; the packages they are for come as types from the host",
    ),
    {
      name: "islands",
      comment: "only the catalogue imports attachments",
      severity: "error",
      from: { pathNot: [`${library}/attachments/index\\.ts$`, tests] },
      to: { path: `${library}/attachments/.+/`, pathNot: "\\.text\\.ts$" },
    },
    {
      name: "pure",
      comment: "core, attachments, dialects and integrations touch no part of the machine",
      severity: "error",
      from: { path: `${library}/(core|attachments|dialects|integrations)`, pathNot: tests },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "public-api",
      comment: "the programs see only the library's public exports",
      severity: "error",
      from: { path: "^packages/cli/src", pathNot: tests },
      to: { path: library, pathNot: `${library}/index\\.ts$` },
    },
    {
      name: "rooms",
      comment: "host, gateway, hooks and replay do not import each other",
      severity: "error",
      from: { path: "^packages/cli/src/(host|gateway|hooks|replay|serve)/" },
      to: { path: "^packages/cli/src/(host|gateway|hooks|replay|serve)/", pathNot: "^packages/cli/src/$1/" },
    },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["sotto-source", "import", "node", "default", "types"],
    },
  },
};
