// Whether a call may go ahead: by itself, by what a person allowed before, or because one is asked now.

import type { Permit } from "../agent-events.ts";
import { isCommandAllowed, prefixesOf } from "./commands/allowed-commands.ts";
import type { Tool, ToolContext } from "./tool.ts";

export interface Permissions {
  /** `ask`: before every change; `auto-edit`: only before commands; `all`: never. */
  mode: "ask" | "auto-edit" | "all";
  /** Beginnings of commands that need no question, by whole words: `npm test`. Grows with what is allowed for good. */
  allowedCommands: string[];
  /** Whole commands that were allowed for good. */
  allowedExactly: Set<string>;
  /** Tools that were allowed for good. */
  allowedTools: Set<string>;
}

export interface Question {
  tool: Tool;
  input: never;
  title: string;
  context: ToolContext;
  /** Asked in any case, whatever was allowed before: why. */
  because?: string;
}

export function createPermissions(
  mode: Permissions["mode"] = "ask",
  /** Beginnings of commands, and names of tools. */
  allowed: readonly string[] = [],
): Permissions {
  return {
    mode,
    allowedCommands: [...allowed],
    allowedExactly: new Set(),
    allowedTools: new Set(allowed),
  };
}

/** Whether a tool that asks by itself may go ahead where nobody can be asked. */
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
  // A field of that name in the input of somebody else's tool is no command of ours.
  const command = tool.schema === undefined ? commandIn(input) : undefined;
  if (
    command === undefined ? isToolAllowed(tool, permissions) : isCommandAllowed(command, permissions, context)
  )
    return "yes";
  // In plan mode the gate lets nothing be written but the plan.
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

/** What "always" means here: nobody should have to guess. */
function forGood(
  toolName: string,
  command: string | undefined,
  prefixes: string[] | undefined,
  always?: string,
): string {
  if (always !== undefined) return `always: ${always}`;
  if (command === undefined) return `always: every ${toolName} in the project`;
  if (prefixes === undefined) return "always: this very command";
  return `always: every command that begins with ${prefixes.map((prefix) => `"${prefix}"`).join(" or ")}`;
}

function commandIn(input: unknown): string | undefined {
  const { command } = (input ?? {}) as { command?: unknown };
  return typeof command === "string" ? command : undefined;
}
