// Plan mode was entered again while an earlier plan exists.

import * as v from "valibot";
import { pathInText } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({ planFilePath: v.string() });

export const planModeReentry = defineAttachment({
  type: "plan_mode_reentry",
  generator: "plan_mode",
  summary: "Plan mode was entered again, and a plan exists from before.",
  tier: "core",
  when: "plan mode is entered after it was left earlier in the session, and the plan file exists",
  needs: ["mode", "planFile"],
  schema,
  repeat: "never",
  trigger({ mode, planFile }) {
    if (mode.name !== "plan") return skip(`the mode is ${mode.name}`);
    const edge = mode.pending.find(({ kind }) => kind === "reentry");
    if (edge === undefined) return skip("plan mode was not left before, or the re-entry was sent already");
    if (!mode.pending.some(({ kind, entry }) => kind === "entry" && entry === edge.entry))
      return skip("the entry into plan mode was sent when there was no earlier plan");
    if (mode.planFilePath === undefined) return skip("no plan file is known");
    if (!planFile.known) return skip(`it is not known whether the plan file exists: ${planFile.why}`);
    if (!planFile.value.exists) return skip(`there is no plan file at ${mode.planFilePath}`);
    return [{ data: { planFilePath: mode.planFilePath }, covers: [edge.id] }];
  },
  render({ planFilePath }, { tools }) {
    const exit = tools.tool("ExitPlanMode");
    const before = exit === undefined ? "before you end your turn" : `before you call ${exit}`;
    const canRead = (tools.tool("Read") ?? tools.tool("Bash")) !== undefined;
    const where = canRead ? `; the plan of that time is at ${pathInText(planFilePath)}` : " with a plan";
    const compare = canRead ? "Read it first, and compare it" : "Compare it";
    const canWrite = (tools.tool("Edit") ?? tools.tool("Write")) !== undefined;
    return [
      "## Re-entering Plan Mode",
      `You left plan mode earlier${where}.`,
      `${compare} with what the user asks for now. For another task, start afresh and replace it; for the same task, revise it. Either way, bring the plan${canWrite ? " file" : ""} up to date ${before}.`,
    ].join("\n\n");
  },
  examples: [{ title: "a plan exists", data: { planFilePath: "/repo/.claude/plans/main.md" } }],
});
