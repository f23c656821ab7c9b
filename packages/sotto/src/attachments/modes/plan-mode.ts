// Plan mode: the full text at every entry, then a reminder on a rhythm, full again every fifth time.

import * as v from "valibot";
import { pathInText } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { fullText, sparseText, subagentText } from "./plan-mode.text.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const schema = v.object({
  reminderType: v.picklist(["full", "sparse"]),
  isSubAgent: v.boolean(),
  planFilePath: v.optional(v.string()),
  planExists: v.optional(v.boolean()),
});

const options = v.object({
  full_every: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 5),
  max_explore_agents: v.optional(count, 3),
  max_plan_agents: v.optional(count, 1),
});

export const planMode = defineAttachment({
  type: "plan_mode",
  summary: "Plan mode is on: what that means and how to work in it.",
  tier: "core",
  when: "the mode is plan: at every entry at once, then every 5 assistant turns; 1st, 6th, 11th in full",
  needs: ["mode", "agent", "planFile"],
  schema,
  options,
  repeats: true,
  throttle: { minTurnsBetween: 5 },
  carries: "own",
  ownWords: ["reminderType"],
  trigger({ mode, agent, planFile }, said, { full_every }) {
    if (mode.name !== "plan") return skip(`the mode is ${mode.name}`);
    const key = `entry-${mode.entry}`;
    const entry = mode.pending.find((edge) => edge.kind === "entry" && edge.entry === mode.entry);
    const data = {
      reminderType: said.about(key).count % full_every === 0 ? ("full" as const) : ("sparse" as const),
      isSubAgent: agent.kind === "sub",
      ...(mode.planFilePath === undefined
        ? {}
        : {
            planFilePath: mode.planFilePath,
            ...(planFile.known ? { planExists: planFile.value.exists } : {}),
          }),
    };
    return [{ data, key, ...(entry === undefined ? {} : { covers: [entry.id] }) }];
  },
  render({ reminderType, isSubAgent, planFilePath, planExists }, { tools, options: limits }) {
    const plan = {
      planFilePath: planFilePath === undefined ? undefined : pathInText(planFilePath),
      planExists,
      tools,
      maxExploreAgents: limits.max_explore_agents,
      maxPlanAgents: limits.max_plan_agents,
    };
    if (isSubAgent) return subagentText(plan);
    return reminderType === "full" ? fullText(plan) : sparseText(plan);
  },
  examples: [
    {
      title: "full, no plan file yet",
      data: {
        reminderType: "full",
        isSubAgent: false,
        planFilePath: "/repo/.claude/plans/main.md",
        planExists: false,
      },
    },
    {
      title: "full, the plan file exists",
      data: {
        reminderType: "full",
        isSubAgent: false,
        planFilePath: "/repo/.claude/plans/main.md",
        planExists: true,
      },
    },
    {
      title: "full, whether the plan file exists cannot be told",
      data: { reminderType: "full", isSubAgent: false, planFilePath: "/repo/.claude/plans/main.md" },
    },
    { title: "full, no plan file known", data: { reminderType: "full", isSubAgent: false } },
    {
      title: "sparse",
      data: {
        reminderType: "sparse",
        isSubAgent: false,
        planFilePath: "/repo/.claude/plans/main.md",
        planExists: true,
      },
    },
    {
      title: "sub-agent",
      data: {
        reminderType: "full",
        isSubAgent: true,
        planFilePath: "/repo/.claude/plans/main.md",
        planExists: true,
      },
    },
  ],
});
