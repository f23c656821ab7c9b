// sotto/mcp: the source for MCP servers and their resources.

export type { McpClock } from "./sources/clock.ts";
export { createMcpSource, type McpOptions, type McpSource, type McpTool } from "./sources/mcp/mcp.ts";
export type { McpServerState, McpStatus } from "./sources/mcp/server.ts";
export {
  type McpServer,
  type McpServers,
  type ProjectServers,
  type ProjectServersOptions,
  parseServersFile,
  projectServers,
} from "./sources/mcp/server-settings.ts";
export type { ReadResource, ResourceReader } from "./sources/source.ts";
