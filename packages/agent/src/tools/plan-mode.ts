// EnterPlanMode: first a plan, then changes, if the person agrees.

import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { planFilePath } from "./plan-file.ts";
import { untilAborted } from "./until-aborted.ts";

export const enterPlanMode = defineTool<Record<string, never>>({
  name: "EnterPlanMode",
  description:
    "Asks the user to plan first: nothing is changed until a plan is approved. For work with several ways to go, or with many files; not for small changes and not for questions.",
  input: z.strictObject({}),
  kind: "read",
  title: () => "Enter plan mode",
  async run(_input, { session, asker, cwd, signal }) {
    if ((await session.mode()) === "plan") throw new Error("plan mode is on already");
    const path = await planFilePath(cwd, session);
    const asked = asker.permit({
      toolName: "EnterPlanMode",
      title: "Enter plan mode",
      detail: `Nothing is changed until you approve a plan. The plan is kept in ${path}`,
    });
    const answer = await untilAborted(asked, signal);
    if (answer === "no") throw new Error("the user does not want a plan first: go on without one");
    if (answer === "nobody")
      throw new Error("nobody is there to agree to a plan or to approve it: go on without plan mode");
    await session.record({ type: "mode_changed", mode: "plan", planFilePath: path });
    return {
      text: `Plan mode is on. Look around, then write the plan to ${path} and call ExitPlanMode.`,
      summary: "on",
    };
  },
});
