// A session with MCP servers, and waiting for what they do without sleeping.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createSession, type Session, type SessionOptions } from "sotto";
import { createMcpSource, type McpOptions, type McpServerState, type McpSource } from "sotto/mcp";

const require = createRequire(import.meta.url);

/** A server of the test's own, by its file beside this one. */
export function ownServer(name: string, ...args: string[]) {
  const path = fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url));
  return { command: process.execPath, args: ["--disable-warning=ExperimentalWarning", path, ...args] };
}

/** The main file of an installed server. */
export function installedServer(name: string): string {
  const root = dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`));
  return join(root, "dist", "index.js");
}

export interface McpWorld {
  source: McpSource;
  session: Session;
  state(name: string): McpServerState;
}

export async function openWithServers(
  options: McpOptions,
  sessionOptions: Partial<SessionOptions> = {},
): Promise<McpWorld> {
  const source = createMcpSource(options);
  const session = createSession({
    cwd: process.cwd(),
    agent: { kind: "main" },
    sources: [source],
    ...sessionOptions,
    config: { timeout_ms: 20_000, ...sessionOptions.config },
  });
  await session.open();
  await source.settled(30_000);
  const state = (name: string) => source.state().find((one) => one.name === name) as McpServerState;
  return { source, session, state };
}

/** Until something is so, looked at often; the test's own time limit is the limit. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** As it stands in a file for the environment's value. */
export function variable(name: string): string {
  return `\${${name}}`;
}
