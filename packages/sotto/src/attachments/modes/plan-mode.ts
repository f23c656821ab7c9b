// Plan mode: the full text on every entry, then a short reminder at intervals, in full again every fifth time.

import * as v from "valibot";
import { pathInText } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { currentEntry } from "../shared/mode-edges.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";
import { fullText, sparseText, subagentText } from "./plan-mode.text.ts";

const TURNS_BETWEEN = 5;
const FULL_EVERY = 5;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const schema = v.object({
  reminderType: v.picklist(["full", "sparse"]),
  isSubAgent: v.boolean(),
  planFilePath: v.optional(v.string()),
  planExists: v.optional(v.boolean()),
});

const options = v.object({
  full_every: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), FULL_EVERY),
  max_explore_agents: v.optional(count, 3),
  max_plan_agents: v.optional(count, 1),
});

export const planMode = defineAttachment({
  type: "plan_mode",
  summary: "Plan mode is on: what that means and how to work in it.",
  tier: "core",
  when: `the mode is plan: on every entry, then every ${TURNS_BETWEEN} assistant turns; the full text on entry and every ${FULL_EVERY}th time`,
  needs: ["mode", "agent", "planFile"],
  schema,
  options,
  repeat: "always",
  throttle: { minTurnsBetween: TURNS_BETWEEN },
  content: "trusted",
  trustedFields: ["reminderType"],
  trigger({ mode, agent, planFile }, sent, { full_every }) {
    if (mode.name !== "plan") return skip(`the mode is ${mode.name}`);
    const entry = currentEntry(mode);
    const { planFilePath } = mode;
    const data = withoutUndefined({
      reminderType: sent.about(entry.key).count % full_every === 0 ? ("full" as const) : ("sparse" as const),
      isSubAgent: agent.kind === "sub",
      planFilePath,
      planExists: planFilePath !== undefined && planFile.known ? planFile.value.exists : undefined,
    });
    return [{ data, ...entry }];
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
