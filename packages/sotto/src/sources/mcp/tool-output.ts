// What a tool of an MCP server gave, as a text for the model.

import type { Redact } from "../redact.ts";
import type { CallToolResult } from "./sdk.ts";

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
