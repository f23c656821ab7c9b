// EnterPlanMode: first a plan, then changes, if the person agrees.

import { join } from "node:path";
import type { Session } from "sotto";
import { z } from "zod";
import { locate, readWhole, shown } from "./files/open-file.ts";
import { defineTool, type ToolContext, untilAborted } from "./tool.ts";

export const enterPlanMode = defineTool<Record<string, never>>({
  name: "EnterPlanMode",
  description:
    "Asks the user to plan first: nothing is changed until a plan is approved. For work with several ways to go, or with many files; not for small changes and not for questions.",
  input: z.strictObject({}),
  kind: "read",
  title: () => "Enter plan mode",
  async run(_input, { session, asker, cwd, signal }) {
    if ((await session.state()).mode === "plan") throw new Error("plan mode is on already");
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

// ExitPlanMode: the plan is shown to the person, who approves it or says what is missing.

export const exitPlanMode = defineTool<Record<string, never>>({
  name: "ExitPlanMode",
  description:
    "Asks the user to approve the plan in the plan file. Call it when the plan is written and nothing is open; it takes the plan from the file.",
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

// The plan file: where a session keeps its plan, and what stands in it.

const LARGEST = 1024 * 1024;

/** As config has it; in the project where config has no place, as the agent needs one. */
export async function planFilePath(cwd: string, session: Session): Promise<string> {
  const { plan } = (await session.state()).paths;
  return plan ?? join(cwd, ".claude", "plans", `${session.id.replace(/[^\w.-]+/gu, "-")}.md`);
}

export interface Plan {
  path: string;
  /** Empty where nothing was written yet. */
  text: string;
}

/** The plan of the mode the session is in. */
export async function readPlan(context: ToolContext): Promise<Plan> {
  const path = (await context.session.state()).planFile ?? (await planFilePath(context.cwd, context.session));
  const place = await locate(path, context);
  const text = place.exists ? (await readWhole(place, LARGEST)).toString("utf8") : "";
  return { path, text: text.trim() };
}
