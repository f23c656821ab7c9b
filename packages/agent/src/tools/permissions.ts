// Decides whether a call may run: because it is harmless, was allowed before, or the user is asked now.

import type { Permit } from "../agent-events.ts";
import { isCommandAllowed, prefixesOf } from "./commands.ts";
import type { Tool, ToolContext } from "./tool.ts";

export interface Permissions {
  /** `ask`: ask before every change; `auto-edit`: only before commands; `all`: never. */
  mode: "ask" | "auto-edit" | "all";
  /** Command prefixes that run without asking, such as `npm test`. "Always" adds to them. */
  allowedCommands: string[];
  /** Whole commands that are always allowed. */
  allowedExactly: Set<string>;
  /** Tools that are always allowed. */
  allowedTools: Set<string>;
}

export interface Question {
  tool: Tool;
  input: never;
  title: string;
  context: ToolContext;
  /** Why the user must be asked, whatever was allowed before. */
  because?: string;
}

export function createPermissions(
  mode: Permissions["mode"] = "ask",
  /** Command prefixes and tool names. */
  allowed: readonly string[] = [],
): Permissions {
  return {
    mode,
    allowedCommands: [...allowed],
    allowedExactly: new Set(),
    allowedTools: new Set(allowed),
  };
}

/** Whether a tool that asks the user may run without a user. */
export function isAllowedBeforehand(toolName: string, { mode, allowedTools }: Permissions): boolean {
  return mode === "all" || allowedTools.has(toolName);
}

export async function askFor(question: Question, permissions: Permissions): Promise<Permit> {
  const { tool, input, title, context, because } = question;
  const wanted = tool.permission?.(input, context);
  if (because !== undefined) {
    const detail = [because, wanted?.detail].filter((part) => part !== undefined && part !== "").join("\n\n");
    return context.asker.permit({ toolName: tool.name, title, detail });
  }
  if (wanted === undefined || permissions.mode === "all") return "yes";
  // In a foreign tool's input, a field named "command" need not be a shell command.
  const command = tool.schema === undefined ? commandIn(input) : undefined;
  if (
    command === undefined ? isToolAllowed(tool, permissions) : isCommandAllowed(command, permissions, context)
  )
    return "yes";
  // In plan mode, only the plan file can be written.
  if (tool.kind === "write" && (await context.session.state()).mode === "plan") return "yes";
  const prefixes = command === undefined ? undefined : prefixesOf(command, context);
  const detail = [wanted.detail, forGood(tool.name, command, prefixes, wanted.always)].filter(
    (part) => part !== undefined,
  );
  const answer = await context.asker.permit({
    toolName: tool.name,
    title,
    detail: detail.join("\n\n"),
    ...(wanted.allowedBy === undefined ? {} : { allowedBy: wanted.allowedBy }),
  });
  if (answer !== "always") return answer;
  if (command === undefined) permissions.allowedTools.add(tool.name);
  else if (prefixes === undefined) permissions.allowedExactly.add(command.trim());
  else permissions.allowedCommands.push(...prefixes);
  return answer;
}

function isToolAllowed({ name, kind }: Tool, { mode, allowedTools }: Permissions): boolean {
  return allowedTools.has(name) || (mode === "auto-edit" && kind === "write");
}

/** Explains what "always" would allow. */
function forGood(
  toolName: string,
  command: string | undefined,
  prefixes: string[] | undefined,
  always?: string,
): string {
  if (always !== undefined) return `always: ${always}`;
  if (command === undefined) return `always: every ${toolName} call in the project`;
  if (prefixes === undefined) return "always: exactly this command";
  return `always: every command that starts with ${prefixes.map((prefix) => `"${prefix}"`).join(" or ")}`;
}

function commandIn(input: unknown): string | undefined {
  const { command } = (input ?? {}) as { command?: unknown };
  return typeof command === "string" ? command : undefined;
}
