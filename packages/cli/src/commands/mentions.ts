// `sotto mentions`: shows what a prompt mentions with @, and what cannot be attached.

import { homedir } from "node:os";
import { type MentionedFile, mentionsIn, type ResolvedMentions } from "sotto/inspect";
import type { ExitCode } from "sotto-agent/terminal";
import { createShortPaths, createStyle, lineWidth, type Places, printable } from "sotto-agent/terminal";
import { existingDirectory } from "../input/arguments.ts";
import { readStdin } from "../input/stdin.ts";
import { table } from "../output/table.ts";
import { write, writeJson } from "../output/write.ts";
import { cwd, type Define, deny, examples, json, repeatable } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Shows what a prompt mentions with @ (files with line ranges, directories, MCP resources, agents), and which mentions cannot be attached, and why.",
    )
    .argument("[prompt...]", "the prompt (default: read from stdin)")
    .addOption(cwd())
    .addOption(deny())
    .addOption(repeatable("--mcp-server <name>", "name of an available MCP server; repeatable"))
    .addOption(repeatable("--agent <type>", "type of an available agent; repeatable"))
    .addOption(json("{files, directories, mcp, agents, unresolved}, paths absolute"))
    .addHelpText(
      "after",
      examples(
        "sotto mentions 'Compare @src/a.ts#L10-20 with @docs'",
        "sotto mentions --mcp-server github --agent reviewer < prompt.txt",
      ),
    )
    .action(action(mentions));

export interface MentionsCommand {
  /** Default: read from stdin. */
  prompt?: string[];
  cwd?: string;
  deny?: string[];
  mcpServer?: string[];
  agent?: string[];
  json?: boolean;
}

const HINT = "pass a prompt on stdin, e.g. echo 'Look at @src' | sotto mentions (see sotto mentions --help)";

async function mentions(command: MentionsCommand): Promise<ExitCode> {
  const { deny: denyRead = [], mcpServer: servers = [], agent: agents = [] } = command;
  const cwd = existingDirectory(command.cwd);
  const typed = (command.prompt ?? []).join(" ");
  const prompt = typed.trim() === "" ? await readStdin({ hint: HINT, code: "invalid_input" }) : typed;
  const found = await mentionsIn({ prompt, cwd, servers, agents, permissions: { denyRead } });
  if (command.json) await writeJson(toJson(found));
  else await write(mentionsPage(found, { cwd, home: homedir() }));
  return 0;
}

/** Notes replace contents, which are not printed here. */
function toJson({ files, ...rest }: ResolvedMentions) {
  return { files: files.map(({ note, ...file }) => file), ...rest };
}

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
  return parts.length === 0 ? "The prompt mentions nothing.\n" : `${parts.join("\n\n")}\n`;
}

function linesOf({ lineStart, lineEnd = lineStart, note }: MentionedFile): string {
  if (note !== undefined) return note;
  if (lineStart === undefined) return "";
  return lineStart === lineEnd ? `line ${lineStart}` : `lines ${lineStart}-${lineEnd}`;
}
