// What a prompt mentions, for people.

import type { MentionedFile, ResolvedMentions } from "sotto";
import { createShortPaths, type Places } from "../../../agent/src/terminal/short-paths.ts";
import { createStyle, lineWidth } from "../../../agent/src/terminal/style.ts";
import { table } from "../output/table.ts";
import { printable } from "../../../agent/src/terminal/text.ts";

export function mentionsPage(found: ResolvedMentions, places: Places): string {
  const style = createStyle();
  const short = createShortPaths(places);
  const part = (heading: string, rows: readonly string[][], paint = (line: string) => line) => {
    if (rows.length === 0) return [];
    const lines = table(rows, { width: lineWidth(), indent: "  " }).split("\n");
    return [[style.bold(heading), ...lines.map(paint)].join("\n")];
  };
  const parts = [
    ...part(
      "Files",
      found.files.map((file) => [style.accent(short.path(file.path)), linesOf(file)]),
    ),
    ...part(
      "Directories",
      found.directories.map((path) => [style.accent(short.path(path))]),
    ),
    ...part(
      "MCP resources",
      found.mcp.map(({ server, uri }) => [style.accent(printable(server)), printable(uri)]),
    ),
    ...part(
      "Agents",
      found.agents.map((type) => [style.accent(printable(type))]),
    ),
    ...part(
      "Not attached",
      found.unresolved.map(({ text, reason }) => [printable(text), short.words(reason)]),
      style.dim,
    ),
  ];
  return parts.length === 0 ? "Nothing is mentioned.\n" : `${parts.join("\n\n")}\n`;
}

function linesOf({ lineStart, lineEnd = lineStart, note }: MentionedFile): string {
  if (note !== undefined) return note;
  if (lineStart === undefined) return "";
  return lineStart === lineEnd ? `line ${lineStart}` : `lines ${lineStart}-${lineEnd}`;
}
