// What the agent hears from while it works, besides the disk: MCP servers and the user's editor.

import { resolve } from "node:path";
import {
  allowedByUser,
  createIdeSource,
  createMcpSource,
  type IdeSource,
  type McpServers,
  type McpSource,
  parseServersFile,
  projectServers,
} from "sotto";
import { failed } from "./terminal/failure.ts";
import { readRegular } from "../../sotto/src/platform/regular-file.ts";

const MOST_BYTES = 1024 * 1024;

export interface LiveOptions {
  cwd: string;
  home: string;
  denyRead: readonly string[];
  /** Files of the shape of a `.mcp.json`: whoever names one wants it to run. */
  mcpConfig?: readonly string[] | undefined;
  /** Whether the user's editor is listened to. */
  ide?: boolean | undefined;
}

export interface LiveSources {
  mcp?: McpSource;
  ide?: IdeSource;
  /** What was left out, in words. */
  problems: readonly string[];
}

export async function liveSources({
  cwd,
  home,
  denyRead,
  mcpConfig = [],
  ide,
}: LiveOptions): Promise<LiveSources> {
  const named = await Promise.all(mcpConfig.map((path) => readServers(resolve(path))));
  const servers: McpServers = Object.assign({}, ...named);
  const project = await projectServers({
    cwd,
    home,
    permissions: { denyRead },
    // One that was named is there already.
    isTrusted: async (path, content) =>
      mcpConfig.some((given) => resolve(given) === path) || allowedByUser({ cwd })(path, content),
  });
  Object.assign(servers, project.servers);
  const problems = project.problems.map(
    ({ path, reason }) => `${path}: ${reason}; sotto trust allows them, --mcp-config ${path} runs them once`,
  );
  return {
    problems,
    ...(Object.keys(servers).length === 0 ? {} : { mcp: createMcpSource({ servers }) }),
    ...(ide === false ? {} : { ide: createIdeSource({ permissions: { denyRead }, home }) }),
  };
}

/** What is wrong with the servers, once they have had their time. */
export function serverProblems(mcp: McpSource | undefined): string[] {
  return (mcp?.state() ?? [])
    .filter(({ status }) => status !== "connected")
    .map(
      ({ name, status, problem }) =>
        `MCP server ${name}: ${status}${problem === undefined ? "" : `, ${problem}`}`,
    );
}

async function readServers(path: string): Promise<McpServers> {
  try {
    return parseServersFile(JSON.parse(await readRegular(path, MOST_BYTES)), path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw failed(
      code === "ENOENT" ? `--mcp-config: there is no ${path}` : `--mcp-config: ${message}`,
      "invalid_config",
    );
  }
}
