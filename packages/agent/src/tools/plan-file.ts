// The plan file: where a session keeps its plan, and what stands in it.

import { join } from "node:path";
import type { Session } from "sotto";
import { locate } from "./files/open-file.ts";
import { readWhole } from "./files/open-file-of-files.ts";
import type { ToolContext } from "./tool.ts";

const LARGEST = 1024 * 1024;

/** As config has it; in the project where config has no place, as the agent needs one. */
export async function planFilePath(cwd: string, session: Session): Promise<string> {
  const { plan } = await session.ownFiles();
  return plan ?? join(cwd, ".claude", "plans", `${session.id.replace(/[^\w.-]+/gu, "-")}.md`);
}

export interface Plan {
  path: string;
  /** Empty where nothing was written yet. */
  text: string;
}

/** The plan of the mode the session is in. */
export async function readPlan(context: ToolContext): Promise<Plan> {
  const path = (await context.session.planFile()) ?? (await planFilePath(context.cwd, context.session));
  const place = await locate(path, context);
  const text = place.exists ? (await readWhole(place, LARGEST)).toString("utf8") : "";
  return { path, text: text.trim() };
}
