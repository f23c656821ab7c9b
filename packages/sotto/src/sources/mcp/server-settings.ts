// MCP servers as written in a `.mcp.json` or a table of the same form: validated, naming the wrong key.

import { dirname, join } from "node:path";
import * as v from "valibot";
import { issueText } from "../../facts/parse-event.ts";
import { errorText, SottoError } from "../../platform/errors.ts";
import { didYouMean } from "../../platform/nearest.ts";
import type { Reader } from "../files/reader.ts";
import { isSecret, SHORTEST_SECRET } from "../redact.ts";
import type { IsTrusted, ReadPermissions } from "../source.ts";

const text = v.pipe(v.string(), v.maxLength(10_000));
const texts = v.record(v.string(), text);

const processSchema = v.strictObject({
  type: v.optional(v.literal("stdio")),
  command: v.pipe(text, v.nonEmpty("must not be empty")),
  args: v.optional(v.array(text)),
  env: v.optional(texts),
  /** Relative to the session's directory. Default: that directory. */
  cwd: v.optional(text),
});

const remoteSchema = v.strictObject({
  /** `http`: streamable HTTP. `sse`: the older transport. */
  type: v.optional(v.picklist(["http", "sse", "streamable-http"])),
  // It is not shown: it may have a password.
  url: v.pipe(
    text,
    v.check(
      (url) => /\$\{/u.test(url) || httpAddress(url) !== undefined,
      'expected an address that begins with "http://" or "https://"',
    ),
  ),
  headers: v.optional(texts),
});

// The name is part of mentions and tool names.
const SERVER_NAME = /^[\w.-]{1,64}$/u;
const MOST = 50;

export type ProcessServer = v.InferOutput<typeof processSchema>;
export type RemoteServer = v.InferOutput<typeof remoteSchema>;
/** One server, as under `mcpServers` in a `.mcp.json`. */
export type McpServer = ProcessServer | RemoteServer;
/** Servers by name, as under `mcpServers` in a `.mcp.json`. */
export type McpServers = Readonly<Record<string, McpServer>>;

/** The servers by name; throws at the first mistake, naming it under `where`. */
export function parseServers(value: unknown, where = "mcpServers"): McpServers {
  if (!isTable(value)) throw wrong(`${where}: expected a table of servers by their names`);
  const entries = Object.entries(value);
  if (entries.length > MOST) throw wrong(`${where}: ${entries.length} servers, ${MOST} are allowed`);
  return Object.fromEntries(entries.map(([name, server]) => [name, parseServer(name, server, where)]));
}

/** The servers of a whole file, `{ "mcpServers": { … } }`. */
export function parseServersFile(value: unknown, where: string): McpServers {
  if (!isTable(value) || !("mcpServers" in value))
    throw wrong(`${where}: expected an object with "mcpServers"`);
  return parseServers(value.mcpServers, `${where}: mcpServers`);
}

export function isRemote(server: McpServer): server is RemoteServer {
  return "url" in server;
}

function parseServer(name: string, server: unknown, where: string): McpServer {
  const place = `${where}.${name}`;
  if (!SERVER_NAME.test(name))
    throw wrong(`${place}: a name has letters, digits, "_", "-" and ".", 64 at the most`);
  if (!isTable(server)) throw wrong(`${place}: expected a table with "command" or "url"`);
  if ("command" in server === "url" in server) {
    const known: readonly string[] = [...fieldsOf(remoteSchema), ...fieldsOf(processSchema)];
    const misspelt = Object.keys(server).find((key) => !known.includes(key)) ?? "";
    const hint = didYouMean(misspelt, ["command", "url"]);
    throw wrong(`${place}: expected either "command" (it is started) or "url" (it runs somewhere)${hint}`);
  }
  const schema = "url" in server ? remoteSchema : processSchema;
  const result = v.safeParse(schema, server, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw wrong(`${issueText(place, issue)}${issue.expected === "never" ? hintFor(issue, schema) : ""}`);
}

function hintFor({ path }: v.BaseIssue<unknown>, schema: typeof remoteSchema | typeof processSchema): string {
  const names = fieldsOf(schema);
  return didYouMean(String(path?.[0]?.key), names) || `; there are ${names.join(", ")}`;
}

function fieldsOf({ entries }: typeof remoteSchema | typeof processSchema): string[] {
  return Object.keys(entries);
}

/** The address, if it is one for HTTP. */
export function httpAddress(url: string): URL | undefined {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  return /^https?:$/u.test(address?.protocol ?? "") ? address : undefined;
}

function wrong(words: string): SottoError {
  return new SottoError("invalid_config", words);
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The servers in a project's own `.mcp.json`. They only run if that file is trusted.

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
  problems: readonly { path: string; reason: string; needsTrust?: true }[];
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
    const reason = `not trusted: ${names.length} MCP servers were not started (${names.join(", ")})`;
    return { servers: {}, path, problems: [{ path, reason, needsTrust: true }] };
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
