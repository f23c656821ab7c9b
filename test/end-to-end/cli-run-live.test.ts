// `sotto run` with MCP servers and an editor: their tools, their resources, what the user looks at.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { ownServer } from "../support/mcp-world.ts";
import { startCompanion } from "../support/servers/ide-companion.ts";
import { type ModelServer, type Script, startModelServer } from "../support/servers/model-server.ts";

let cwd: string;
let state: string;
let server: ModelServer;
beforeEach(() => {
  cwd = temporaryDirectory();
  state = temporaryDirectory();
});
afterEach(() => server.close());

async function serve(script: Script): Promise<void> {
  server = await startModelServer({ provider: "anthropic", script });
}

const run = (...args: string[]) =>
  sottoHere(["run", ...args], {
    cwd,
    env: {
      HOME: state,
      XDG_STATE_HOME: state,
      TMPDIR: state,
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_BASE_URL: server.url,
    },
  });
const body = (index: number) => JSON.stringify(server.requests[index]?.body);
const names = () => {
  const { tools = [] } = (server.requests[0]?.body ?? {}) as { tools?: { name: string }[] };
  return tools.map(({ name }) => name).filter((name) => name.startsWith("mcp__"));
};

const servers = () => JSON.stringify({ mcpServers: { notes: ownServer("mcp-notes") } });
const rewrite = {
  toolCalls: [{ name: "mcp__notes__rewrite", input: { uri: "note://a", text: "second" } }],
};

test("AC-44 a mentioned resource is in the request, the tools are listed, called and answered", async () => {
  writeFileSync(join(cwd, "servers.json"), servers());
  await serve([rewrite, { text: "Done." }]);
  const all = ["--permission-mode", "all"];
  const { code, stdout } = await run("-p", "see @notes:note://a", "--mcp-config", "servers.json", ...all);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
  expect(names()).toEqual([
    "mcp__notes__crash",
    "mcp__notes__grow",
    "mcp__notes__reads",
    "mcp__notes__rewrite",
  ]);
  // With the first call, or on a slow machine with the next.
  expect(body(1)).toContain("Full contents of resource:\\n\\nfirst");
  expect(body(1)).toContain('"content":"done"');
  expect(server.violations).toEqual([]);
});

test("their tools ask first", async () => {
  writeFileSync(join(cwd, "servers.json"), servers());
  await serve([rewrite, { text: "It was refused." }]);
  const { stdout, stderr } = await run("-p", "go", "--mcp-config", "servers.json");
  expect(stdout).toBe("It was refused.\n");
  expect(stderr).toContain("--permission-mode");
  expect(body(1)).toContain("there is nobody to ask");
});

test("AC-50 servers of the project's own file are not started unless somebody names it", async () => {
  writeFileSync(join(cwd, ".mcp.json"), servers());
  await serve([{ text: "Yes." }]);
  const { stderr } = await run("-p", "see @notes:note://a");
  expect(stderr).toContain(".mcp.json: not trusted: 1 MCP servers were not started (notes)");
  expect(names()).toEqual([]);
  expect(body(0)).not.toContain("Full contents");
});

test("a server that is down is told, and nothing else changes; a file that is wrong ends it", async () => {
  const down = { mcpServers: { gone: { command: "/nowhere/server" } } };
  writeFileSync(join(cwd, "servers.json"), JSON.stringify(down));
  await serve([{ text: "Yes." }]);
  const { stdout, stderr } = await run("-p", "ok?", "--mcp-config", "servers.json");
  expect(stdout).toBe("Yes.\n");
  expect(stderr).toContain("MCP server gone: restarting, it cannot be started: there is no /nowhere/server");
  writeFileSync(join(cwd, "servers.json"), '{ "mcpServers": { "gone": {} } }');
  const wrong = await run("-p", "ok?", "--mcp-config", "servers.json");
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('mcpServers.gone: expected either "command"');
});

test("AC-44 the file that is open in the user's editor is told, unless that is not wanted", async () => {
  writeFileSync(join(cwd, "a.ts"), "one\n");
  const editor = await startCompanion({ directory: join(state, "gemini/ide"), workspacePath: cwd });
  try {
    await editor.say({ openFiles: [{ path: join(cwd, "a.ts"), timestamp: 1, isActive: true }] });
    const look = { toolCalls: [{ name: "Glob", input: { pattern: "*" } }] };
    await serve([look, { text: "Yes." }, look, { text: "Yes." }]);
    await run("-p", "ok?");
    expect(body(1)).toContain(`The user opened the file ${join(cwd, "a.ts")} in the IDE.`);
    await run("-p", "ok?", "--no-ide");
    expect(body(3)).not.toContain("in the IDE");
    expect(JSON.stringify(server.requests)).not.toContain(editor.token);
  } finally {
    await editor.leave();
  }
});
