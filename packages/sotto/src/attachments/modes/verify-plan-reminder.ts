// Verify plan: the plan was implemented, and its items can be checked now.

import * as v from "valibot";
import { sendOnce } from "../common-kinds.ts";

const schema = v.object({});

export const verifyPlanReminder = sendOnce({
  type: "verify_plan_reminder",
  summary: "The plan is implemented: check its items.",
  tier: "main_agent",
  when: "the plan's implementation was finished",
  needs: ["plan"],
  schema,
  repeat: "never",
  content: "trusted",
  pending: ({ plan }) => plan.pending.filter(({ kind }) => kind === "implemented"),
  together: () => ({}),
  none: "no plan was implemented since the last one was sent",
  render: () =>
    "The plan is implemented. Before you report it as done, check each of its items against what is there now.",
  examples: [{ title: "finished", data: {} }],
});
