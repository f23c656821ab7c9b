// The gate: what a mode lets the agent do. Hosts ask before they run a tool, so plan and delegate mode are more than advice.

import type { AgentTools } from "../profiles/agent-tools.ts";
import type { ModeFact } from "../facts/mode.ts";
import { asksForMore, callOnlyReads, writtenBy } from "./gate-input.ts";
import { absolutePath } from "../platform/paths.ts";
import type { ToolMeaning } from "../profiles/profile.ts";
import { chosen, inputOf } from "../profiles/tool-events.ts";

export interface Permission {
  allowed: boolean;
  reason: string;
}

// They change nothing here, and hand the work to somebody else, who may.
const DELEGATING = "Teammate SendMessage TaskCreate TaskList TaskUpdate CollabPost".split(" ");

export interface GateQuestion {
  mode: ModeFact;
  cwd: string;
  toolName: string;
  input: unknown;
  tools: Pick<AgentTools, "kind" | "meaning" | "runsPosixCommands">;
}

export function allows(question: GateQuestion): Permission {
  const { mode, toolName, input, tools } = question;
  if (mode.name !== "plan" && mode.name !== "delegate")
    return { allowed: true, reason: `mode ${mode.name} restricts no tool` };
  const kind = tools.kind(toolName);
  const meaning = chosen(tools.meaning(toolName, input), inputOf(input));
  if (kind === "read" || (kind === "write" && meaning?.does === "read"))
    return kind === "read" && asksForMore(input)
      ? {
          allowed: false,
          reason: `${mode.name} mode is on, and the input asks ${toolName} for more than reading`,
        }
      : { allowed: true, reason: `${toolName} changes nothing` };
  if (mode.name === "delegate") return delegates(toolName);
  if (kind === "write") return writesPlanFile(question, meaning);
  if (meaning?.does === "command" && tools.runsPosixCommands(toolName) && callOnlyReads(meaning, input))
    return { allowed: true, reason: "the command only reads" };
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

function writesPlanFile({ mode, cwd, toolName, input }: GateQuestion, meaning?: ToolMeaning): Permission {
  const paths = writtenBy(input, meaning);
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
