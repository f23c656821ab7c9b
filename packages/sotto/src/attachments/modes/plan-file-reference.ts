// Plan file reference: a plan from plan mode that is not in view, sent at the start.

import * as v from "valibot";
import { pathInText } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { restOfFile } from "../shared/read-more.ts";

const schema = v.object({
  planFilePath: v.string(),
  planContent: v.string(),
  truncated: v.optional(v.boolean()),
});

export const planFileReference = sendOnce({
  type: "plan_file_reference",
  summary: "A plan from plan mode exists.",
  tier: "event",
  when: "after compaction or at session start, when a plan file exists that is not in view",
  needs: ["plan", "planFile"],
  schema,
  repeat: "never",
  budget: "context",
  pending: ({ plan }) =>
    plan.pending
      .filter(({ kind }) => kind === "found")
      .slice(-1)
      .flatMap(({ id, path, content, truncated }) =>
        path === undefined || content === undefined ? [] : [{ id, path, content, truncated }],
      ),
  each: ({ path, content, truncated }) => ({
    planFilePath: path,
    planContent: content,
    ...(truncated ? { truncated } : {}),
  }),
  none({ planFile }) {
    const why = planFile.known ? planFile.value.untold : planFile.why;
    return why ?? "the plan file is checked when a session starts, and after compaction";
  },
  render({ planFilePath, planContent, truncated }, { tools }) {
    const read = tools.tool("Read");
    const where = read === undefined ? "" : `; use ${read} for the rest`;
    const cut = truncated ? ` It is longer than what is shown${where}.` : "";
    return `A plan file exists from plan mode at: ${pathInText(planFilePath)}\n\nPlan contents:\n\n${planContent}\n\nIf the plan is relevant to what you are asked and not done yet, go on with it.${cut}`;
  },
  readMoreAt: (_, context) => restOfFile("the plan file", context),
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
