// The arrows of ARCHITECTURE.md. `npm run arrows` fails as well when nothing was cruised.

const library = "^packages/sotto/src";
const tests = "\\.test\\.ts$";

/** Which rooms each room of the library may import, besides itself. Types count as well. */
const rooms = {
  platform: [],
  facts: ["platform"],
  render: ["platform", "facts"],
  attachments: ["facts", "render", "platform"],
  dialects: ["render", "platform"],
  // Config is checked against the attachments there are.
  config: ["platform", "facts", "render", "attachments"],
  log: ["facts", "render", "platform", "config"],
  history: ["log", "facts", "render", "platform", "dialects"],
  profiles: ["facts", "platform", "dialects", "config", "attachments"],
  sources: ["facts", "config", "platform", "render", "attachments"],
  stores: ["log", "platform"],
  engine: [
    "history",
    "log",
    "facts",
    "render",
    "platform",
    "config",
    "attachments",
    "dialects",
    "sources",
    "profiles",
  ],
  integrations: ["engine", "dialects", "profiles", "platform", "facts", "render"],
};

const arrows = Object.entries(rooms).map(([room, allowed]) => ({
  name: `room-${room}`,
  comment: `${room} imports ${["itself", ...allowed].join(", ")}`,
  severity: "error",
  from: { path: `${library}/${room}/`, pathNot: tests },
  to: { path: `${library}/`, pathNot: [room, ...allowed].map((name) => `${library}/${name}/`) },
}));

export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    ...arrows,
    {
      name: "islands",
      comment: "only the catalogue imports an attachment",
      severity: "error",
      from: { pathNot: [`${library}/attachments/catalogue\\.ts$`, tests] },
      to: {
        path: `${library}/attachments/.+/`,
        pathNot: ["\\.text\\.ts$", `${library}/attachments/shared/`],
      },
    },
    {
      name: "contracts",
      comment: "the engine sees the contracts of attachments, dialects and sources, and none that keeps one",
      severity: "error",
      from: { path: `${library}/(engine|history|config|log)/`, pathNot: tests },
      to: {
        path: `${library}/(attachments|dialects|sources)/`,
        pathNot: [
          `${library}/attachments/(attachment|throttle)\\.ts$`,
          `${library}/dialects/dialect\\.ts$`,
          `${library}/sources/(source|trust/outside-project|team/mailbox-path)\\.ts$`,
        ],
      },
    },
    {
      name: "pure",
      comment: "these rooms touch no part of the machine",
      severity: "error",
      from: {
        path: `${library}/(facts|log|history|render|attachments|dialects|engine|config|profiles|integrations)/`,
        pathNot: tests,
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "packages",
      comment:
        "of packages the library has only those that it bundles or finds where the host has installed them",
      severity: "error",
      from: { path: `${library}/`, pathNot: tests },
      to: {
        path: "node_modules/",
        pathNot:
          "node_modules/(valibot|yaml|smol-toml|sharp|unpdf|vscode-jsonrpc|vscode-languageserver-protocol|pg|@types/pg|@modelcontextprotocol/client|@opentelemetry/api)/",
      },
    },
    {
      name: "doors",
      comment: "the programs see the library through its doors",
      severity: "error",
      from: { path: "^packages/(cli|agent|gateway)/src", pathNot: tests },
      to: {
        path: library,
        pathNot: `${library}/(index|extend|inspect|hooks|mcp|ide|team|postgres|internal|internal-patterns)\\.ts$`,
      },
    },
    {
      name: "agent-doors",
      comment: "the CLI sees the agent through its doors",
      severity: "error",
      from: { path: "^packages/cli/src", pathNot: tests },
      to: {
        path: "^packages/agent/src",
        pathNot: "^packages/agent/src/(index|session-data|terminal|regular-file|models)\\.ts$",
      },
    },
    {
      name: "agent-below-cli",
      comment: "the agent knows nothing of the CLI",
      severity: "error",
      from: { path: "^packages/agent/src", pathNot: tests },
      to: { path: "^packages/cli/" },
    },
    {
      name: "gateway-door",
      comment: "the CLI sees the gateway through its door",
      severity: "error",
      from: { path: "^packages/cli/src", pathNot: tests },
      to: { path: "^packages/gateway/src", pathNot: "^packages/gateway/src/index\\.ts$" },
    },
    {
      name: "gateway-below-cli",
      comment: "the gateway knows nothing of the CLI and the agent",
      severity: "error",
      from: { path: "^packages/gateway/src", pathNot: tests },
      to: { path: "^packages/(cli|agent)/" },
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
