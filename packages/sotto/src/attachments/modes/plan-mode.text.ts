// The texts of plan mode: full, sparse, and for sub-agents. Each says only what its agent can do.

import type { ToolNames } from "../../facts/agent.ts";

export interface PlanText {
  planFilePath?: string | undefined;
  planExists?: boolean | undefined;
  maxExploreAgents: number;
  maxPlanAgents: number;
  tools: ToolNames;
}

export function fullText(plan: PlanText): string {
  return paragraphs(
    `Plan mode is on. The user wants a plan first and no changes yet: ${nothing(plan)}. This holds until plan mode is left.`,
    planFileInfo(plan),
    "## Plan Workflow",
    `### Phase 1: Initial Understanding\nGoal: know the request and ${understanding(plan)}.${asking(plan, "what is unclear")}`,
    `### Phase 2: Design\nGoal: an approach. ${designing(plan)}`,
    `### Phase 3: Review\nGoal: a plan that fits the request. ${reviewing(plan)}, and hold the plan against what the user asked for.${asking(plan, "what is still open")}`,
    `### Phase 4: Final Plan\nGoal: the plan, written down${writtenTo(plan)}. Only the approach you recommend; short enough to scan, full enough to carry out; with ${worksOnFiles(plan) ? "the paths of the files that matter and " : ""}how to verify the result.`,
    ending(plan),
  );
}

export function sparseText(plan: PlanText): string {
  const readOnly = mayWrite(plan) ? `read-only but for ${plan.planFilePath}` : "read-only";
  return `Plan mode is still on; the full text is further up. Everything is ${readOnly}. Work through the five phases. ${endOfTurn(plan)}`;
}

export function subagentText(plan: PlanText): string {
  return paragraphs(
    `Plan mode is on, and you work read-only as well: change nothing${exception(plan)}, and run no tool that changes anything.`,
    planFileInfo(plan),
    "Answer the query you were given, fully.",
  );
}

function nothing(plan: PlanText): string {
  return worksOnFiles(plan)
    ? `edit nothing${exception(plan)}, and run no tool that changes files, settings or anything else`
    : "take no action that changes anything";
}

/** Nothing where the agent could neither read nor write it. */
function planFileInfo(plan: PlanText): string {
  const { planFilePath, planExists, tools } = plan;
  const edit = tools.tool("Edit") ?? tools.tool("Write");
  const write = tools.tool("Write");
  if (planFilePath === undefined || !worksOnFiles(plan)) return "";
  const tool = write === undefined ? "" : ` with ${write}`;
  const read = `read it${edit === undefined ? "" : ` and edit it step by step with ${edit}`}`;
  if (planExists === undefined) {
    const create = edit === undefined ? "" : `; if not, create it${tool}`;
    return `## Plan File Info:\nThe plan file is ${planFilePath}. If it exists, ${read}${create}.`;
  }
  if (planExists)
    return `## Plan File Info:\nA plan file exists at ${planFilePath}. ${read.replace("read", "Read")}.`;
  if (edit === undefined) return "";
  return `## Plan File Info:\nThere is no plan file yet. Create it at ${planFilePath}${tool}.`;
}

function exception(plan: PlanText): string {
  return mayWrite(plan) ? " but the plan file" : "";
}

function understanding(plan: PlanText): string {
  return worksOnFiles(plan)
    ? `the code it touches. Read the code${exploring(plan)}`
    : `what it touches. Look up what you need${exploring(plan)}`;
}

function exploring({ maxExploreAgents: most, tools }: PlanText): string {
  const task = tools.tool("Task");
  if (task === undefined || most === 0) return "";
  const agent = agents(most, tools.tool("Explore"), task);
  return most === 1
    ? `, with up to ${agent} if the question needs it`
    : `, with up to ${agent} side by side, as few as the question needs`;
}

function designing({ maxPlanAgents: most, tools }: PlanText): string {
  const task = tools.tool("Task");
  if (task === undefined || most === 0) return "Work it out from what you know by then.";
  const how =
    most === 1
      ? ", none for a trivial task"
      : ": one as a rule, none for a trivial task, several for a hard one";
  return `Use up to ${agents(most, tools.tool("Plan"), task)}${how}. Hand over what phase 1 found.`;
}

/** Of a kind that the agent has; else sub-agents as such, by the tool that starts them. */
function agents(most: number, type: string | undefined, task: string): string {
  const one = type === undefined ? "sub-agent" : `${type} agent`;
  return `${most} ${one}${most === 1 ? "" : "s"}${type === undefined ? ` (${task})` : ""}`;
}

function reviewing(plan: PlanText): string {
  return worksOnFiles(plan) ? "Read the files that matter most yourself" : "Check what matters most yourself";
}

function asking({ tools }: PlanText, what: string): string {
  const ask = tools.tool("AskUserQuestion");
  return ask === undefined
    ? ` Ask the user ${what}, at the end of an answer.`
    : ` Use ${ask} to ask the user ${what}.`;
}

function writtenTo(plan: PlanText): string {
  return mayWrite(plan) ? ` in ${plan.planFilePath}` : " in your answer";
}

function ending(plan: PlanText): string {
  const exit = plan.tools.tool("ExitPlanMode");
  return exit === undefined
    ? `### Phase 5: Hand Over the Plan\nGoal: the user's decision. ${endOfTurn(plan)} Carry nothing out before they agree.`
    : `### Phase 5: Call ${exit}\nGoal: the user's decision. ${endOfTurn(plan)} ${exit} asks for approval; ask for it in no other way.`;
}

function endOfTurn({ tools }: PlanText): string {
  const exit = tools.tool("ExitPlanMode");
  const ask = tools.tool("AskUserQuestion");
  const question = ask === undefined ? "a question to the user" : `a question to the user (${ask})`;
  return exit === undefined
    ? `End a turn with ${question}, or with the plan and the question whether to go ahead.`
    : `End a turn only with ${question} or with ${exit}.`;
}

function mayWrite({ planFilePath, tools }: PlanText): boolean {
  const canWrite = tools.tool("Edit") !== undefined || tools.tool("Write") !== undefined;
  return planFilePath !== undefined && canWrite;
}

/** Others have no code to read, and no file to keep a plan in. */
function worksOnFiles({ tools }: PlanText): boolean {
  return ["Read", "Edit", "Write", "Bash"].some((name) => tools.tool(name) !== undefined);
}

function paragraphs(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
