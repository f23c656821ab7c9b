// The tools of MCP servers among the agent's own: `mcp__server__tool`. What they do nobody here knows, so they ask.

import { createHash } from "node:crypto";
import type { McpSource, McpTool } from "sotto/mcp";
import { z } from "zod";
import { line, neutral, neutralSchema } from "../untrusted-text.ts";
import type { Tool } from "./tool.ts";
import { defineTool } from "./tool.ts";

const input = z.record(z.string(), z.unknown());
type Input = z.infer<typeof input>;

// Some providers take no longer names.
const LONGEST_NAME = 64;
const LONGEST_DETAIL = 2000;

/** Of the servers that are connected now, in a fixed order: another order would be another prompt. */
export function mcpTools(source: Pick<McpSource, "tools" | "callTool">): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of source.tools()) {
    const name = nameOf(tool);
    if (!byName.has(name)) byName.set(name, toTool(name, tool, source));
  }
  return [...byName.values()];
}

function toTool(
  name: string,
  { server, name: own, description, inputSchema }: McpTool,
  source: Pick<McpSource, "callTool">,
): Tool {
  return defineTool<Input>({
    name,
    description: describe(server, own, description),
    input,
    schema: neutralSchema(inputSchema),
    kind: "run",
    title: (given) => `${server}: ${own} ${JSON.stringify(given)}`,
    permission: (given) => ({ detail: JSON.stringify(given, undefined, 2).slice(0, LONGEST_DETAIL) }),
    works: () => ({ command: name, kind: "tool" }),
    async run(given, { signal }) {
      const { text, isError } = await source.callTool({ server, tool: own, input: given }, signal);
      return { text, ...(isError ? { isError } : {}) };
    },
  });
}

/** What it does only its server knows: it is told as that. */
function describe(server: string, own: string, description: string): string {
  const tool = `${line(own)} of the MCP server ${line(server)}`;
  return description.trim() === "" ? tool : `${tool}, in the server's words: ${neutral(description)}`;
}

function nameOf({ server, name }: McpTool): string {
  const whole = `mcp__${server}__${name}`.replace(/[^\w-]/gu, "_");
  if (whole.length <= LONGEST_NAME) return whole;
  // Still one name for one tool.
  const mark = createHash("sha256").update(whole).digest("hex").slice(0, 8);
  return `${whole.slice(0, LONGEST_NAME - mark.length - 1)}_${mark}`;
}
