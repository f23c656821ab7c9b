// Plan mode was left: edits and tools are allowed again.

import * as v from "valibot";
import { pathInText } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({ planFilePath: v.optional(v.string()), planExists: v.optional(v.boolean()) });

export const planModeExit = defineAttachment({
  type: "plan_mode_exit",
  summary: "Plan mode was left: changes are allowed again.",
  tier: "core",
  when: "plan mode was left, and the model had been told that it was on",
  needs: ["mode", "planFile"],
  schema,
  oneShot: true,
  carries: "own",
  trigger({ mode, planFile }) {
    const edge = mode.pending.find(({ kind, mode: name }) => kind === "exit" && name === "plan");
    if (edge === undefined) return skip("plan mode was not left, or that was said");
    if (mode.pending.some(({ kind, entry }) => kind === "entry" && entry === edge.entry))
      return skip("plan mode was entered and left before anything was said about it");
    const path = edge.planFilePath;
    const data = {
      ...(path === undefined ? {} : { planFilePath: path }),
      ...(path !== undefined && planFile.known ? { planExists: planFile.value.exists } : {}),
    };
    return [{ data, covers: [edge.id] }];
  },
  render({ planFilePath, planExists }) {
    const plan =
      planFilePath === undefined || planExists === false
        ? ""
        : ` The plan is at ${pathInText(planFilePath)}${planExists ? "" : ", if one was written"}.`;
    return `## Exited Plan Mode\n\nPlan mode was left: you may make changes and use all your tools again.${plan}`;
  },
  examples: [
    { title: "with a plan file", data: { planFilePath: "/repo/.claude/plans/main.md", planExists: true } },
    {
      title: "no plan was written",
      data: { planFilePath: "/repo/.claude/plans/main.md", planExists: false },
    },
    { title: "no plan file known", data: {} },
  ],
});
