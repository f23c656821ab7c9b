// EnterPlanMode: plan first; changes need the user's approval.

import { join } from "node:path";
import type { Session } from "sotto";
import { z } from "zod";
import { displayPath, locate, readWhole } from "./files/access.ts";
import { defineTool, type ToolContext, untilAborted } from "./tool.ts";

export const enterPlanMode = defineTool<Record<string, never>>({
  name: "EnterPlanMode",
  description:
    "Asks the user to start in plan mode: nothing is changed until a plan is approved. For work with several possible approaches or many files; not for small changes or questions.",
  input: z.strictObject({}),
  kind: "read",
  title: () => "Enter plan mode",
  async run(_input, { session, asker, cwd, signal }) {
    if ((await session.state()).mode === "plan") throw new Error("plan mode is already on");
    const path = await planFilePath(cwd, session);
    const asked = asker.permit({
      toolName: "EnterPlanMode",
      title: "Enter plan mode",
      detail: `Nothing is changed until you approve a plan. The plan will be in ${path}`,
    });
    const answer = await untilAborted(asked, signal);
    if (answer === "no") throw new Error("the user does not want a plan: continue without one");
    if (answer === "nobody") throw new Error("there is nobody to approve a plan: continue without plan mode");
    await session.record({ type: "mode_changed", mode: "plan", planFilePath: path });
    return {
      text: `Plan mode is on. Look around, then write the plan to ${path} and call ExitPlanMode.`,
      summary: "on",
    };
  },
});

// ExitPlanMode: the user approves the plan or says what to change.

export const exitPlanMode = defineTool<Record<string, never>>({
  name: "ExitPlanMode",
  description:
    "Asks the user to approve the plan. Call it when the plan file is complete and no question is open; the plan is read from the file.",
  input: z.strictObject({}),
  kind: "read",
  title: () => "Exit plan mode",
  async run(_input, context) {
    const { session, asker, cwd, signal } = context;
    if ((await session.state()).mode !== "plan") throw new Error("plan mode is not on");
    const { path, text } = await readPlan(context);
    if (text === "") throw new Error(`there is no plan in ${path} yet: write it there first`);
    const { approved, feedback, nobody } = await untilAborted(asker.approvePlan(text, path), signal);
    const words = feedback === undefined || feedback.trim() === "" ? "" : ` They said:\n${feedback}`;
    if (nobody && !approved)
      return {
        text: "There is nobody to approve the plan: plan mode stays on. End with the plan as your answer.",
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
    const how = nobody ? "Nobody was asked: plans need no approval here." : "The user approved the plan.";
    return {
      text: `${how} Changes are allowed now: carry it out.${words}\n\n# Approved plan (${displayPath(path, cwd)})\n\n${text}`,
      summary: "approved",
    };
  },
});

// The plan file.

const LARGEST = 1024 * 1024;

/** From config; default: a file in the project. */
export async function planFilePath(cwd: string, session: Session): Promise<string> {
  const { plan } = (await session.state()).paths;
  return plan ?? join(cwd, ".claude", "plans", `${session.id.replace(/[^\w.-]+/gu, "-")}.md`);
}

export interface Plan {
  path: string;
  /** Empty when nothing was written yet. */
  text: string;
}

/** The plan of the current plan mode. */
export async function readPlan(context: ToolContext): Promise<Plan> {
  const path = (await context.session.state()).planFile ?? (await planFilePath(context.cwd, context.session));
  const place = await locate(path, context);
  const text = place.exists ? (await readWhole(place, LARGEST)).toString("utf8") : "";
  return { path, text: text.trim() };
}
