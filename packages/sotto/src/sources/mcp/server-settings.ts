// The servers in a project's own `.mcp.json`. They only run if that file is trusted.

import { dirname, join } from "node:path";
import { errorText } from "../../platform/errors.ts";
import type { Reader } from "../files/reader.ts";
import { isSecret, SHORTEST_SECRET } from "../redact.ts";
import type { IsTrusted, ReadPermissions } from "../source.ts";
import { isRemote, type McpServer, type McpServers, parseServersFile } from "./server-config.ts";

/** What `projectServers` takes. */
export interface ProjectServersOptions {
  /** The directory whose `.mcp.json` is read. */
  cwd: string;
  /** Whether the servers of this file may run. Asked with its content: a changed file must be trusted again. */
  isTrusted: IsTrusted;
  /** The user's home directory. Default: the system's. */
  home?: string;
  /** Read permissions: servers of a file that may not be read do not run. */
  permissions?: ReadPermissions | undefined;
}

/** What `projectServers` returns. */
export interface ProjectServers {
  servers: McpServers;
  /** The file, if there is one. */
  path?: string;
  /** What was ignored, and why. */
  problems: readonly { path: string; reason: string }[];
}

const NAME = ".mcp.json";
const MOST_BYTES = 1024 * 1024;

/** Never throws: mistakes are reported, and nothing of the file runs. */
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

/** The nearest one upwards, up to the root of the repository. */
async function find(from: string): Promise<string | undefined> {
  // Loaded on first use, to keep importing the library fast.
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

// A server's settings with `${VAR}` and `${VAR:-default}` expanded from the environment.

export type Environment = Readonly<Record<string, string | undefined>>;

// Values of such variables and headers are never shown.
const SECRET = /token|key|secret|pass|auth|cred|cookie|session/iu;

/**
 * The settings and which of them are secret, or which variable is missing: a server is not started with incomplete
 * settings.
 */
export function expandServer(
  server: McpServer,
  environment: Environment,
): { server: McpServer; secrets: string[] } | { missing: string } {
  const missing = new Set<string>();
  const used = new Set<string>();
  const fill = (text: string) => expand(text, { environment, missing, used });
  const all = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text)]));
  const filled: McpServer = isRemote(server)
    ? {
        ...server,
        url: fill(server.url),
        ...(server.headers === undefined ? {} : { headers: all(server.headers) }),
      }
    : {
        ...server,
        command: fill(server.command),
        ...(server.args === undefined ? {} : { args: server.args.map(fill) }),
        ...(server.env === undefined ? {} : { env: all(server.env) }),
        ...(server.cwd === undefined ? {} : { cwd: fill(server.cwd) }),
      };
  if (missing.size === 0) return { server: filled, secrets: secretsIn(filled, [...used]) };
  const names = [...missing];
  return { missing: `${names.join(", ")} ${names.length === 1 ? "is" : "are"} not set in the environment` };
}

function secretsIn(server: McpServer, used: readonly string[]): string[] {
  const named = Object.entries((isRemote(server) ? undefined : server.env) ?? {}).flatMap(([name, value]) =>
    SECRET.test(name) || isSecret(name, value) ? [value] : [],
  );
  const headers = Object.values((isRemote(server) ? server.headers : undefined) ?? {});
  // `Bearer abc`: the token alone is a secret as well.
  const parts = headers.flatMap((value) => [value, ...value.split(/[\s,;=]+/u)]);
  return [...new Set([...named, ...parts, ...used])]
    .filter((text) => text.length >= SHORTEST_SECRET && !/^bearer$/iu.test(text))
    .sort((a, b) => b.length - a.length);
}

interface Filling {
  environment: Environment;
  missing: Set<string>;
  /** Values of variables with secret-looking names. */
  used: Set<string>;
}

function expand(text: string, { environment, missing, used }: Filling): string {
  return text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/gu, (_all, name: string, otherwise?: string) => {
    const value = environment[name];
    if (value !== undefined && (SECRET.test(name) || isSecret(name, value))) used.add(value);
    // As in a shell: `:-` also replaces an empty value.
    if (otherwise !== undefined) return value === undefined || value === "" ? otherwise : value;
    if (value === undefined) missing.add(name);
    return value ?? "";
  });
}
