// What the agent hears from while it works, besides the disk: MCP servers and the user's editor.

import { resolve } from "node:path";
import type { Session } from "sotto";
import { createIdeSource, type IdeSource } from "sotto/ide";
import { trustedByUser } from "sotto/inspect";
import {
  createMcpSource,
  type McpServers,
  type McpSource,
  parseServersFile,
  projectServers,
} from "sotto/mcp";
import { readRegular } from "./regular-file.ts";
import { failed } from "./terminal/failure.ts";

const MOST_SERVERS_BYTES = 1024 * 1024;

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
      mcpConfig.some((given) => resolve(given) === path) || trustedByUser({ cwd })(path, content),
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
    return parseServersFile(JSON.parse(await readRegular(path, MOST_SERVERS_BYTES)), path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw failed(
      code === "ENOENT" ? `--mcp-config: there is no ${path}` : `--mcp-config: ${message}`,
      "invalid_config",
    );
  }
}

// A text of the user's that the agent has at hand all the time: told at the start, and again when the file changes.

export interface MemoryFile {
  /** Before a turn: what it says now is recorded where it is new. */
  look(): Promise<void>;
}

const MOST_MEMORY_BYTES = 200_000;

export function createMemoryFile(
  path: string,
  { session, onProblem }: { session: Session; onProblem(text: string): void },
): MemoryFile {
  let last: string | undefined;
  let wrong: string | undefined;
  return {
    async look() {
      try {
        const content = await readRegular(path, MOST_MEMORY_BYTES);
        wrong = undefined;
        if (content === last) return;
        await session.record({ type: "ultramemory_changed", content });
        last = content;
      } catch (error) {
        // Once for each thing that is wrong: what was told before holds.
        const { message } = error as Error;
        if (message !== wrong) onProblem(`--memory-file: ${message}`);
        wrong = message;
      }
    },
  };
}
