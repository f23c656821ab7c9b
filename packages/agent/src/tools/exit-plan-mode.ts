// ExitPlanMode: the plan is shown to the person, who approves it or says what is missing.

import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { shown } from "./files/open-file.ts";
import { readPlan } from "./plan-file.ts";
import { untilAborted } from "./until-aborted.ts";

export const exitPlanMode = defineTool<Record<string, never>>({
  name: "ExitPlanMode",
  description:
    "Asks the user to approve the plan in the plan file. Call it when the plan is written and nothing is open; it takes the plan from the file.",
  input: z.strictObject({}),
  kind: "read",
  title: () => "Exit plan mode",
  async run(_input, context) {
    const { session, asker, cwd, signal } = context;
    if ((await session.mode()) !== "plan") throw new Error("plan mode is not on");
    const { path, text } = await readPlan(context);
    if (text === "") throw new Error(`there is no plan in ${path} yet: write it there first`);
    const { approved, feedback, nobody } = await untilAborted(asker.approvePlan(text, path), signal);
    const words = feedback === undefined || feedback.trim() === "" ? "" : ` They said:\n${feedback}`;
    if (nobody && !approved)
      return {
        text: `Nobody is there to approve the plan: plan mode stays on. End with the plan as your answer.`,
        isError: true,
        summary: "nobody was asked",
      };
    if (!approved)
      return {
        text: `The user did not approve the plan: plan mode stays on.${words}`,
        isError: true,
        summary: "not approved",
      };
    await session.record({ type: "mode_changed", mode: "normal" });
    const how = nobody
      ? "Nobody was asked: plans may be carried out without approval here."
      : "The user approved the plan.";
    return {
      text: `${how} Changes are allowed now: carry it out.${words}\n\n# Approved plan (${shown(path, cwd)})\n\n${text}`,
      summary: "approved",
    };
  },
});
