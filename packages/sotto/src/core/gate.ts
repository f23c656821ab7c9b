// The gate: what a mode lets the agent do. Hosts ask before they run a tool, so plan and delegate mode are more than advice.

import type { ModeFact } from "./facts/mode.ts";
import { absolutePath } from "./path.ts";

export interface Permission {
  allowed: boolean;
  reason: string;
}

/** What a tool does to the world. */
export type ToolKind = "read" | "write" | "run";

export interface ToolDescription {
  name: string;
  kind: ToolKind;
}

const READING = [
  ..."Read Glob Grep LS NotebookRead WebFetch WebSearch TaskOutput BashOutput AgentOutputTool CollabRead".split(
    " ",
  ),
  // They ask, plan or delegate; a sub-agent stands before the same gate.
  ..."AskUserQuestion EnterPlanMode ExitPlanMode TodoRead TodoWrite Task Skill".split(" "),
];
// They change nothing here, and hand the work to somebody else, who may.
const DELEGATING = "Teammate SendMessage TaskCreate TaskList TaskUpdate CollabPost".split(" ");
const WRITING = "Write Edit MultiEdit NotebookEdit".split(" ");

export interface GateQuestion {
  mode: ModeFact;
  cwd: string;
  toolName: string;
  input: unknown;
  tools: readonly ToolDescription[];
}

export function allows({ mode, cwd, toolName, input, tools }: GateQuestion): Permission {
  if (mode.name !== "plan" && mode.name !== "delegate")
    return { allowed: true, reason: `mode ${mode.name} restricts no tool` };
  const kind = kindOf(toolName, tools);
  if (kind === "read") return { allowed: true, reason: `${toolName} changes nothing` };
  if (mode.name === "delegate") return delegates(toolName);
  if (kind === "write") return writesPlanFile({ mode, cwd, toolName, input });
  return {
    allowed: false,
    reason: `plan mode is on: ${toolName} may change things, only reading tools and the plan file are allowed`,
  };
}

function delegates(toolName: string): Permission {
  if (DELEGATING.includes(toolName)) return { allowed: true, reason: `${toolName} hands work to the team` };
  return {
    allowed: false,
    reason: `delegate mode is on: ${toolName} may change things, which is for team mates to do; reading and handing out work is allowed`,
  };
}

function writesPlanFile({ mode, cwd, toolName, input }: Omit<GateQuestion, "tools">): Permission {
  const paths = pathsIn(input);
  const plan = mode.planFilePath;
  if (plan === undefined) return { allowed: false, reason: "plan mode is on, and no plan file is known" };
  if (paths.length === 0)
    return { allowed: false, reason: `plan mode is on, and ${toolName} does not say which file it writes` };
  const other = paths.find((path) => absolutePath(path, cwd) !== absolutePath(plan, cwd));
  if (other === undefined) return { allowed: true, reason: `${plan} is the plan file` };
  return {
    allowed: false,
    reason: `plan mode is on: only the plan file ${plan} may be written, not ${other}`,
  };
}

function kindOf(toolName: string, tools: readonly ToolDescription[]): ToolKind {
  const described = tools.find((tool) => tool.name === toolName);
  if (described !== undefined) return described.kind;
  if (READING.includes(toolName)) return "read";
  return WRITING.includes(toolName) ? "write" : "run";
}

/** Whichever of them the tool goes by. */
function pathsIn(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return [];
  const { file_path, filePath, notebook_path, path } = input as Record<string, unknown>;
  return [file_path, filePath, notebook_path, path].filter((value) => typeof value === "string");
}
