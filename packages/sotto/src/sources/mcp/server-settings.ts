// The servers that a project's own `.mcp.json` names. They run only where somebody trusts that file.

import { dirname, join } from "node:path";
import { type McpServers, parseServersFile } from "./server-config.ts";
import { errorText } from "../../platform/errors.ts";
import type { IsTrusted, ReadPermissions } from "../source.ts";
import type { Reader } from "../files/reader.ts";

export interface ProjectServersOptions {
  cwd: string;
  /** Whether what this file says may run. Asked with its content: a changed file is another file. */
  isTrusted: IsTrusted;
  /** The user's home directory; the system's unless given. */
  home?: string;
  /** What may not be read: no server of such a file is run. */
  permissions?: ReadPermissions | undefined;
}

export interface ProjectServers {
  servers: McpServers;
  /** The file, where there is one. */
  path?: string;
  /** What was left out, and why. */
  problems: readonly { path: string; reason: string }[];
}

const NAME = ".mcp.json";
const MOST_BYTES = 1024 * 1024;

/** Never throws: what is wrong is reported, and nothing of it runs. */
export async function projectServers(options: ProjectServersOptions): Promise<ProjectServers> {
  const { cwd, isTrusted } = options;
  const path = await find(cwd);
  if (path === undefined) return { servers: {}, problems: [] };
  const leftOut = (reason: string) => ({ servers: {}, path, problems: [{ path, reason }] });
  try {
    const { readAllowed } = await import("../files/allowed-file.ts");
    const file = await readAllowed(path, await readerFor(options), MOST_BYTES);
    if (file.kind === "absent") return { servers: {}, problems: [] };
    if (file.kind === "unreadable") return leftOut(file.why);
    const content = file.text;
    const servers = parseServersFile(JSON.parse(content.replace(/^\uFEFF/u, "")), NAME);
    const names = Object.keys(servers);
    if (names.length === 0) return { servers: {}, path, problems: [] };
    if (await isTrusted(path, content)) return { servers, path, problems: [] };
    return leftOut(`not trusted: ${names.length} MCP servers were not started (${names.join(", ")})`);
  } catch (error) {
    return leftOut(errorText(error));
  }
}

async function readerFor({ cwd, home, permissions }: ProjectServersOptions): Promise<Reader> {
  const [{ createPermissions }, { createReader }] = await Promise.all([
    import("../files/permissions.ts"),
    import("../files/reader.ts"),
  ]);
  const own = home ?? process.getBuiltinModule("node:os").homedir();
  return createReader({ permissions: createPermissions({ cwd, home: own, ...permissions }), home: own });
}

/** The nearest one upwards, not past the repository it is in. */
async function find(from: string): Promise<string | undefined> {
  // Loaded when it is asked for: importing the library stays light.
  const { stat } = await import("node:fs/promises");
  for (let directory = from; ; directory = dirname(directory)) {
    const path = join(directory, NAME);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile()) return path;
    const isRoot = await stat(join(directory, ".git")).then(
      () => true,
      () => false,
    );
    if (isRoot || dirname(directory) === directory) return undefined;
  }
}
