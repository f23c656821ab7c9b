// Where a session keeps its plan unless it is told otherwise.

import { absolutePath } from "./path.ts";

/** Nothing where no directory is set. */
export function defaultPlanPath(directory: string, session: string, cwd: string): string | undefined {
  if (directory === "") return undefined;
  return absolutePath(`${directory}/${session.replace(/[^\w.-]+/gu, "-")}.md`, cwd);
}
