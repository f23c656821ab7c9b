// Plan mode was left: edits and tools are allowed again.

import * as v from "valibot";
import { pathInText } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { exitsFrom } from "../shared/mode-edges.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({ planFilePath: v.optional(v.string()), planExists: v.optional(v.boolean()) });

export const planModeExit = sendOnce({
  type: "plan_mode_exit",
  summary: "Plan mode was left: changes are allowed again.",
  tier: "core",
  when: "plan mode was left, and the model knew that it was on",
  needs: ["mode", "planFile"],
  schema,
  repeat: "never",
  content: "trusted",
  pending: ({ mode }) => exitsFrom("plan", mode),
  each({ planFilePath }, { planFile }) {
    const planExists = planFilePath !== undefined && planFile.known ? planFile.value.exists : undefined;
    return withoutUndefined({ planFilePath, planExists });
  },
  none: "plan mode was not left, or that was sent already",
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
