// Verify plan: the plan was carried out, and what it asked for can be checked now.

import * as v from "valibot";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({});

export const verifyPlanReminder = defineAttachment({
  type: "verify_plan_reminder",
  summary: "The plan is implemented: check its items.",
  tier: "main_agent",
  when: "the plan's implementation was finished",
  needs: ["plan"],
  schema,
  oneShot: true,
  carries: "own",
  trigger({ plan: { pending } }) {
    const covers = pending.flatMap(({ kind, id }) => (kind === "implemented" ? [id] : []));
    return covers.length > 0 ? [{ data: {}, covers }] : skip("no plan was finished since it was last said");
  },
  render: () =>
    "The plan is implemented. Before you report it as done, check each of its items against what is there now.",
  examples: [{ title: "finished", data: {} }],
});
