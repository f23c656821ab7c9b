// The texts of plan mode: full, sparse, and for sub-agents.

import type { Vocabulary } from "../../core/agent.ts";

export interface PlanText {
  planFilePath?: string | undefined;
  planExists?: boolean | undefined;
  maxExploreAgents: number;
  maxPlanAgents: number;
  tools: Vocabulary;
}

export function fullText(plan: PlanText): string {
  return paragraphs(
    `Plan mode is on. The user wants a plan first and no changes yet: edit nothing${exception(plan)}, and run no tool that changes files, settings or anything else. This holds until plan mode is left.`,
    planFileInfo(plan),
    "## Plan Workflow",
    `### Phase 1: Initial Understanding\nGoal: know the request and the code it touches. Read the code${exploring(plan)}.${asking(plan, "what is unclear")}`,
    `### Phase 2: Design\nGoal: an approach. ${designing(plan)}`,
    `### Phase 3: Review\nGoal: a plan that fits the request. Read the files that matter most yourself, and hold the plan against what the user asked for.${asking(plan, "what is still open")}`,
    `### Phase 4: Final Plan\nGoal: the plan, written down${writtenTo(plan)}. Only the approach you recommend; short enough to scan, full enough to carry out; with the paths of the files that matter and how to verify the result.`,
    ending(plan),
  );
}

export function sparseText(plan: PlanText): string {
  const { planFilePath, tools } = plan;
  const readOnly = mayWrite(plan) ? `read-only but for ${planFilePath}` : "read-only";
  const exit = tools.tool("ExitPlanMode");
  const ways = [tools.tool("AskUserQuestion"), exit].filter((way) => way !== undefined);
  const end = ways.length === 0 ? "" : ` End a turn with ${ways.join(" or ")}.`;
  const phases = exit === undefined ? "the phases" : "the five phases";
  return `Plan mode is still on; the full text is further up. Everything is ${readOnly}. Work through ${phases}.${end}`;
}

export function subagentText(plan: PlanText): string {
  return paragraphs(
    `Plan mode is on, and you work read-only as well: change nothing${exception(plan)}, and run no tool that changes anything.`,
    planFileInfo(plan),
    "Answer the query you were given, fully.",
  );
}

function planFileInfo({ planFilePath, planExists, tools }: PlanText): string {
  if (planFilePath === undefined) return "";
  const edit = tools.tool("Edit") ?? tools.tool("Write");
  const write = tools.tool("Write");
  const read = `read it${edit === undefined ? "" : ` and edit it step by step with ${edit}`}`;
  if (planExists === undefined) {
    const create = write === undefined ? "" : `; if not, create it with ${write}`;
    return `## Plan File Info:\nThe plan file is ${planFilePath}. If it exists, ${read}${create}.`;
  }
  if (planExists)
    return `## Plan File Info:\nA plan file exists at ${planFilePath}. ${read.replace("read", "Read")}.`;
  const place =
    write === undefined ? `Its place is ${planFilePath}` : `Create it at ${planFilePath} with ${write}`;
  return `## Plan File Info:\nThere is no plan file yet. ${place}.`;
}

function exception(plan: PlanText): string {
  return mayWrite(plan) ? " but the plan file" : "";
}

function exploring({ maxExploreAgents: most, tools }: PlanText): string {
  if (tools.tool("Task") === undefined || most === 0) return "";
  const agent = agents(most, tools.tool("Explore"));
  return most === 1
    ? `, with up to ${agent} if the question needs it`
    : `, with up to ${agent} side by side, as few as the question needs`;
}

function designing({ maxPlanAgents: most, tools }: PlanText): string {
  if (tools.tool("Task") === undefined || most === 0) return "Work it out from what you have read.";
  const how =
    most === 1
      ? ", none for a trivial task"
      : ": one as a rule, none for a trivial task, several for a hard one";
  return `Use up to ${agents(most, tools.tool("Plan"))}${how}. Hand over what phase 1 found.`;
}

function agents(most: number, type: string | undefined): string {
  return `${most} ${type === undefined ? "" : `${type} `}${most === 1 ? "agent" : "agents"}`;
}

function asking({ tools }: PlanText, what: string): string {
  const ask = tools.tool("AskUserQuestion");
  return ask === undefined ? "" : ` Use ${ask} to ask the user ${what}.`;
}

function writtenTo(plan: PlanText): string {
  return mayWrite(plan) ? ` in ${plan.planFilePath}` : "";
}

function ending({ tools }: PlanText): string {
  const exit = tools.tool("ExitPlanMode");
  const ask = tools.tool("AskUserQuestion");
  if (exit === undefined) return "";
  const question = ask === undefined ? "" : ` with a question (${ask}) or`;
  return `### Phase 5: Call ${exit}\nGoal: the user's decision. End a turn only${question} with ${exit}. ${exit} asks for approval; ask for it in no other way.`;
}

function mayWrite({ planFilePath, tools }: PlanText): boolean {
  const canWrite = tools.tool("Edit") !== undefined || tools.tool("Write") !== undefined;
  return planFilePath !== undefined && canWrite;
}

function paragraphs(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
