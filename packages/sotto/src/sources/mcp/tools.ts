// The tools of one connection, bounded, as their descriptions are part of every request.

import type { Redact } from "../redact.ts";
import type { CallToolResult, Client } from "./sdk.ts";

export interface ServerTool {
  name: string;
  description: string;
  /** JSON Schema from the server. */
  inputSchema: Record<string, unknown>;
}

export interface ServerTools {
  list(): Promise<void>;
  tools(): readonly ServerTool[];
  /** Tools that are not offered, each with the reason. */
  leftOut(): readonly string[];
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
}

const LIST_MS = 20_000;
// As long as a person waits; the host's signal ends it earlier.
const CALL_MS = 10 * 60_000;
const MOST_TOOLS = 200;
const LONGEST_DESCRIPTION = 2000;
const LARGEST_SCHEMA = 20_000;
// Names that providers accept, prefixed with the server's.
const NAME = /^[\w.-]{1,64}$/u;
const MOST_REASONS = 20;
const LONGEST_SHOWN_NAME = 100;

type ListedTool = Awaited<ReturnType<Client["listTools"]>>["tools"][number];

export function createServerTools(client: Client, redact: Redact): ServerTools {
  let tools: readonly ServerTool[] = [];
  let leftOut: readonly string[] = [];
  const shown = (name: string) =>
    redact(name).replace(/\s+/gu, " ").slice(0, LONGEST_SHOWN_NAME).toWellFormed();
  return {
    async list() {
      if (client.getServerCapabilities()?.tools === undefined) return;
      const listed = await client.listTools(undefined, { timeout: LIST_MS, cacheMode: "refresh" });
      const offered: ListedTool[] = [];
      const reasons: string[] = [];
      for (const tool of listed.tools) {
        const reason = whyLeftOut(tool, offered.length);
        if (reason === undefined) offered.push(tool);
        else reasons.push(`the tool "${shown(tool.name)}" is left out: ${reason}`);
      }
      const more = reasons.length - MOST_REASONS;
      leftOut = [...reasons.slice(0, MOST_REASONS), ...(more > 0 ? [`${more} more tools are left out`] : [])];
      tools = offered
        .map(({ name, description = "", inputSchema }) => ({
          name,
          description: redact(description).slice(0, LONGEST_DESCRIPTION).toWellFormed(),
          inputSchema: inputSchema as Record<string, unknown>,
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    tools: () => tools,
    leftOut: () => leftOut,
    call: (name, input, signal) =>
      client.callTool({ name, arguments: input }, { signal, timeout: CALL_MS, maxTotalTimeout: CALL_MS }),
  };
}

function whyLeftOut({ name, inputSchema }: ListedTool, before: number): string | undefined {
  if (!NAME.test(name)) return 'a name has letters, digits, "_", "-" and ".", 64 at the most';
  if (sizeOf(inputSchema) > LARGEST_SCHEMA) return `its schema has more than ${LARGEST_SCHEMA} characters`;
  return before < MOST_TOOLS ? undefined : `a server may have ${MOST_TOOLS}`;
}

function sizeOf(schema: unknown): number {
  return JSON.stringify(schema)?.length ?? 0;
}

// The output of an MCP tool, as text for the model.

export interface ToolOutput {
  text: string;
  isError: boolean;
}

const LONGEST = 100_000;

export function toolOutput(
  { content, structuredContent, isError }: CallToolResult,
  redact: Redact,
): ToolOutput {
  const parts = (Array.isArray(content) ? content : []).map(partText).filter((text) => text !== "");
  const shown =
    parts.length > 0 || structuredContent === undefined ? parts : [JSON.stringify(structuredContent)];
  const text = redact(shown.join("\n\n"));
  const cut =
    text.length <= LONGEST
      ? text
      : `${text.slice(0, LONGEST).toWellFormed()}\n\n(cut: ${text.length - LONGEST} characters more)`;
  return { text: cut === "" ? "The tool gave nothing back." : cut, isError: isError === true };
}

function partText(part: unknown): string {
  const { type, text, mimeType, uri, resource } = (part ?? {}) as Record<string, unknown>;
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource_link") return `[Resource: ${String(uri)}]`;
  if (type === "resource") return resourceText(resource);
  return typeof mimeType === "string" ? `[Binary content: ${mimeType.slice(0, 100)}]` : "";
}

function resourceText(resource: unknown): string {
  const { text, mimeType } = (resource ?? {}) as Record<string, unknown>;
  if (typeof text === "string") return text;
  return `[Binary content: ${typeof mimeType === "string" ? mimeType.slice(0, 100) : "unknown"}]`;
}
