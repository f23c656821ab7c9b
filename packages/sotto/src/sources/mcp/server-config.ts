// MCP servers as people write them down, in a `.mcp.json` or a table of the same shape: checked, the wrong key named.

import * as v from "valibot";
import { issueText } from "../../facts/parse-event.ts";
import { SottoError } from "../../platform/errors.ts";

const text = v.pipe(v.string(), v.maxLength(10_000));
const texts = v.record(v.string(), text);

const processSchema = v.strictObject({
  type: v.optional(v.literal("stdio")),
  command: v.pipe(text, v.nonEmpty("must not be empty")),
  args: v.optional(v.array(text)),
  env: v.optional(texts),
  /** Where it runs; relative to the session's directory, which it is unless given. */
  cwd: v.optional(text),
});

const remoteSchema = v.strictObject({
  /** `http`: streamable HTTP. `sse`: the older transport. */
  type: v.optional(v.picklist(["http", "sse", "streamable-http"])),
  url: v.pipe(text, v.nonEmpty("must not be empty")),
  headers: v.optional(texts),
});

// A server's name stands in mentions and in names of tools.
const NAME = /^[\w.-]{1,64}$/u;
const MOST = 50;

export type ProcessServer = v.InferOutput<typeof processSchema>;
export type RemoteServer = v.InferOutput<typeof remoteSchema>;
/** One server, as under `mcpServers` in a `.mcp.json`. */
export type McpServer = ProcessServer | RemoteServer;
/** Servers by name, as under `mcpServers` in a `.mcp.json`. */
export type McpServers = Readonly<Record<string, McpServer>>;

/** The servers, by their names; throws at the first thing that is wrong, naming it under `where`. */
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
  if (!NAME.test(name)) throw wrong(`${place}: a name has letters, digits, "_", "-" and ".", 64 at the most`);
  if (!isTable(server)) throw wrong(`${place}: expected a table with "command" or "url"`);
  if ("command" in server === "url" in server)
    throw wrong(`${place}: expected either "command" (it is started) or "url" (it runs somewhere)`);
  const result = v.safeParse("url" in server ? remoteSchema : processSchema, server, { abortEarly: true });
  if (result.success) return result.output;
  throw wrong(issueText(place, result.issues[0]));
}

function wrong(words: string): SottoError {
  return new SottoError("invalid_config", words);
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
