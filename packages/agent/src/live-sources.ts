// Sources besides the disk: MCP servers, the user's editor, and the `--memory-file`.

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
import { usageError } from "./terminal/failure.ts";
import { fileProblem } from "./terminal/file-problem.ts";

const MOST_SERVERS_BYTES = 1024 * 1024;

export interface LiveOptions {
  cwd: string;
  home: string;
  denyRead: readonly string[];
  /** Files in the format of `.mcp.json`, named by the user and therefore trusted. */
  mcpConfig?: readonly string[] | undefined;
  /** Connect to the user's editor; default: true. */
  ide?: boolean | undefined;
}

export interface LiveSources {
  mcp?: McpSource;
  ide?: IdeSource;
  /** What was left out, and why. */
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
    // A file named with --mcp-config is trusted already.
    isTrusted: async (path, content) =>
      mcpConfig.some((given) => resolve(given) === path) || trustedByUser({ cwd })(path, content),
  });
  Object.assign(servers, project.servers);
  const problems = project.problems.map(({ path, reason, needsTrust }) =>
    needsTrust
      ? `${path}: ${reason}; approve them with sotto trust, or run them once with --mcp-config ${path}`
      : `${path}: ${reason}`,
  );
  return {
    problems,
    ...(Object.keys(servers).length === 0 ? {} : { mcp: createMcpSource({ servers }) }),
    ...(ide === false ? {} : { ide: createIdeSource({ permissions: { denyRead }, home }) }),
  };
}

/** Servers that are not connected, and what the others have that is not offered, and why. */
export function serverProblems(mcp: Pick<McpSource, "state"> | undefined): string[] {
  return (mcp?.state() ?? []).flatMap(({ name, status, problem, leftOut = [] }) => {
    if (status === "connected") return leftOut.map((reason) => `MCP server ${name}: ${reason}`);
    return [`MCP server ${name}: ${status}${problem === undefined ? "" : `, ${problem}`}`];
  });
}

async function readServers(path: string): Promise<McpServers> {
  try {
    return parseServersFile(JSON.parse(await readRegular(path, MOST_SERVERS_BYTES)), path);
  } catch (error) {
    throw usageError(`--mcp-config: ${fileProblem(path, error)}`, "invalid_config");
  }
}

// The text of `--memory-file`: sent at the start, and again when the file changes.

export interface MemoryFile {
  /** Call before a turn: records the text if it changed. */
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
        // Report each problem once; the last good text stays in force.
        const message = fileProblem(path, error);
        if (message !== wrong) onProblem(`--memory-file: ${message}`);
        wrong = message;
      }
    },
  };
}
