// The MCP client, an optional package: loaded with the first server.

import type * as Main from "@modelcontextprotocol/client";
import type * as Stdio from "@modelcontextprotocol/client/stdio";

export type Sdk = typeof Main & Pick<typeof Stdio, "getDefaultEnvironment">;
export type {
  CallToolResult,
  Client,
  JSONRPCMessage,
  JsonSchemaValidator,
  jsonSchemaValidator,
  Transport,
} from "@modelcontextprotocol/client";

let loading: Promise<Sdk> | undefined;

export function loadSdk(): Promise<Sdk> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Sdk> {
  try {
    const [main, { getDefaultEnvironment }] = await Promise.all([
      import("@modelcontextprotocol/client"),
      import("@modelcontextprotocol/client/stdio"),
    ]);
    return { ...main, getDefaultEnvironment };
  } catch (error) {
    loading = undefined;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error("MCP servers need a package: npm install @modelcontextprotocol/client", { cause: error });
  }
}
