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
  return [
    "Plan mode is on. The user wants a plan first and no changes yet: edit nothing but the plan file, and run no tool that changes files, settings or anything else. This holds until plan mode is left.",
    planFileInfo(plan),
    "## Plan Workflow",
    `### Phase 1: Initial Understanding\nGoal: know the request and the code it touches. Read the code${exploring(plan)}.${asking(plan, "Ask the user what is unclear")}`,
    `### Phase 2: Design\nGoal: an approach.${designing(plan)}`,
    `### Phase 3: Review\nGoal: a plan that fits the request. Read the files that matter most yourself and hold the plan against what the user asked for.${asking(plan, "Ask what is still open")}`,
    `### Phase 4: Final Plan\nGoal: the plan, written down${writtenTo(plan)}. Only the approach you recommend; short enough to scan, full enough to carry out; with the paths of the files that matter and how to verify the result.`,
    ending(plan),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

export function sparseText(plan: PlanText): string {
  const { planFilePath, tools } = plan;
  const exception = planFilePath === undefined ? "" : ` but for ${planFilePath}`;
  const ways = [tools.tool("AskUserQuestion"), tools.tool("ExitPlanMode")].filter((way) => way !== undefined);
  const end = ways.length === 0 ? "" : ` End a turn with ${ways.join(" or ")}.`;
  return `Plan mode is still on; the full text is further up. Everything is read-only${exception}. Work through the five phases.${end}`;
}

export function subagentText(plan: PlanText): string {
  return [
    "Plan mode is on, for you as a sub-agent too: change nothing, run no tool that changes anything.",
    planFileInfo(plan),
    "Answer the query you were given, fully.",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function planFileInfo({ planFilePath, planExists, tools }: PlanText): string {
  if (planFilePath === undefined) return "";
  const edit = tools.tool("Edit");
  const write = tools.tool("Write");
  const heading = "## Plan File Info:";
  const editing = `Read it and edit it step by step${edit === undefined ? "" : ` with ${edit}`}.`;
  const creating = `Create it there${write === undefined ? "" : ` with ${write}`}.`;
  if (planExists === undefined)
    return `${heading}\nThe plan file is ${planFilePath}. If it exists: ${lower(editing)} If not: ${lower(creating)}`;
  return planExists
    ? `${heading}\nA plan file exists at ${planFilePath}. ${editing}`
    : `${heading}\nThere is no plan file yet. ${creating.replace("there", `at ${planFilePath}`)}`;
}

function exploring({ maxExploreAgents, tools }: PlanText): string {
  if (tools.tool("Task") === undefined || maxExploreAgents === 0) return "";
  return `, with up to ${maxExploreAgents} Explore ${agents(maxExploreAgents)} side by side, as few as the question needs`;
}

function designing({ maxPlanAgents, tools }: PlanText): string {
  if (tools.tool("Task") === undefined || maxPlanAgents === 0) return " Work it out from what you have read.";
  return ` Use up to ${maxPlanAgents} Plan ${agents(maxPlanAgents)}: one as a rule, none for a trivial task${maxPlanAgents > 1 ? ", several for a hard one" : ""}. Hand over what phase 1 found.`;
}

function agents(count: number): string {
  return count === 1 ? "agent" : "agents";
}

function asking({ tools }: PlanText, what: string): string {
  const ask = tools.tool("AskUserQuestion");
  return ask === undefined ? "" : ` ${what} with ${ask}.`;
}

function writtenTo({ planFilePath }: PlanText): string {
  return planFilePath === undefined ? "" : ` in ${planFilePath}`;
}

function ending({ tools }: PlanText): string {
  const exit = tools.tool("ExitPlanMode");
  const ask = tools.tool("AskUserQuestion");
  if (exit === undefined) return "";
  const question = ask === undefined ? "" : ` with a question through ${ask} or`;
  return `### Phase 5: Call ${exit}\nGoal: the user's decision. End a turn only${question} with ${exit}; it is what asks for approval, so do not ask for it in any other way.`;
}

function lower(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
