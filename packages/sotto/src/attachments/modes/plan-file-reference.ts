// Plan file reference: a plan from plan mode that the model does not have in view, shown at the start.

import * as v from "valibot";
import { pathInText } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({
  planFilePath: v.string(),
  planContent: v.string(),
  truncated: v.optional(v.boolean()),
});

export const planFileReference = defineAttachment({
  type: "plan_file_reference",
  summary: "A plan from plan mode exists.",
  tier: "event",
  when: "after compaction or at session start, when a plan file exists that is not in view",
  needs: ["plan", "planFile"],
  schema,
  oneShot: true,
  budget: "context",
  carries: "untrusted",
  trigger({ plan, planFile }) {
    const edge = plan.pending.findLast(({ kind }) => kind === "found");
    if (edge?.path === undefined || edge.content === undefined) {
      const why = planFile.known ? planFile.value.untold : planFile.why;
      return skip(why ?? "the plan file is looked at when a session starts, and after compaction");
    }
    const { path, content, truncated } = edge;
    const data = { planFilePath: path, planContent: content, ...(truncated ? { truncated } : {}) };
    return [{ data, covers: [edge.id] }];
  },
  render({ planFilePath, planContent, truncated }, { tools }) {
    const read = tools.tool("Read");
    const where = read === undefined ? "" : `; use ${read} for the rest`;
    const cut = truncated ? ` It is longer than what is shown${where}.` : "";
    return `A plan file exists from plan mode at: ${pathInText(planFilePath)}\n\nPlan contents:\n\n${planContent}\n\nIf the plan is relevant to what you are asked and not done yet, go on with it.${cut}`;
  },
  rest: (_, { tools }) => {
    const read = tools.tool("Read");
    return read === undefined ? "the plan file has the rest" : `use ${read} on the plan file for the rest`;
  },
  examples: [
    {
      title: "a plan",
      data: {
        planFilePath: "/repo/.claude/plans/main.md",
        planContent: "# Fix the parser\n\n1. Add a failing test.\n2. Fix the off-by-one.",
      },
    },
    {
      title: "too long to be shown as a whole",
      data: {
        planFilePath: "/repo/.claude/plans/main.md",
        planContent: "# Rewrite the parser\n\n1. Read the old one.",
        truncated: true,
      },
    },
  ],
});
