// What a tool is, known by its name, the fields of its input and its description: our names for it, and what it does to
// the world.

import type { DeclaredTool } from "../dialects/dialect.ts";
import { COMMAND, DIRECTORY, LIST, PATCH, PATH, PATHS, pick, SEARCH } from "../facts/tool-fields.ts";
import { EDITORS, PATCHERS, plainName, TOOL_NAMES, type ToolKind } from "./tool-names.ts";
import { describedAs, isForWindows, saysItReads } from "./tool-words.ts";

/** Our names for a tool, as reminders use them; none where nobody knows what it does. */
export function rolesOf(tool: DeclaredTool): readonly string[] {
  const { name, isLocal } = plainName(tool.name);
  const { fields } = tool;
  if (!isLocal) return [];
  if (EDITORS.has(name)) return ["Read", "Edit", "Write"];
  if (PATCHERS.has(name)) return fits("Patch", fields) ? ["Edit", "Write"] : [];
  const role = namedRole(name, fields) ?? describedAs(tool);
  return role !== undefined && fits(role, fields) ? [role] : [];
}

/** How usual its name is for a role: of two that do the same the lower one is spoken of. */
export function rankOf(tool: DeclaredTool, role: string): number {
  if (tool.name === role) return -1;
  const { name, server } = plainName(tool.name);
  const at = (TOOL_NAMES[role]?.names ?? "").split(" ").indexOf(name);
  return (at < 0 ? 100 : at) + (server === undefined ? 0 : 1000);
}

/** In doubt it may change things. */
export function kindOf(tool: DeclaredTool): ToolKind {
  const [role] = rolesOf(tool);
  const { name } = plainName(tool.name);
  if (role === undefined) return saysItReads(tool) ? "read" : "run";
  return EDITORS.has(name) || PATCHERS.has(name) ? "write" : (TOOL_NAMES[role]?.kind ?? "run");
}

/** Whether its commands can be taken apart. */
export function runsPosixCommands(tool: DeclaredTool): boolean {
  return rolesOf(tool).includes("Bash") && !isForWindows(tool);
}

/** Fields that a tool must have one of, where its fields are known. */
const NEEDS: Readonly<Record<string, string>> = {
  Read: `${PATH} ${PATHS}`,
  NotebookRead: PATH,
  Write: PATH,
  Edit: PATH,
  NotebookEdit: PATH,
  Delete: PATH,
  Patch: `${PATCH} path type operation`,
  Bash: `${COMMAND} commands`,
  Glob: `${SEARCH} ${PATH} ${DIRECTORY}`,
  Grep: `${SEARCH} ${PATH} ${DIRECTORY}`,
  WebFetch: "url urls prompt",
  WebSearch: "query queries q searchterm",
  TodoWrite: `${LIST} content text markdown operation`,
  Task: "prompt message instructions task query agentname",
  AskUserQuestion: "question questions prompt message text",
};
// With one of these it asks for more than a page.
const SENDS = "method body data payload";

function fits(role: string, fields: readonly string[] | undefined): boolean {
  const needs = Object.hasOwn(NEEDS, role) ? NEEDS[role] : undefined;
  if (fields === undefined || needs === undefined) return true;
  return pick(fields, needs) !== undefined && !(role === "WebFetch" && pick(fields, SENDS) !== undefined);
}

function namedRole(name: string, fields: readonly string[] | undefined): string | undefined {
  const isOf = (names: string | undefined) => names?.split(" ").includes(name) ?? false;
  const found = Object.entries(TOOL_NAMES).find(
    ([, { names, common }]) => isOf(names) || (fields !== undefined && isOf(common)),
  );
  return found?.[0];
}
