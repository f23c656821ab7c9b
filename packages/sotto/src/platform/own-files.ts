// Where a session keeps its plan and its todo list unless it is told otherwise. The same id is the same file.

import { absolutePath } from "./paths.ts";

/** Nothing where no directory is set. */
export function defaultPlanPath(directory: string, session: string, cwd: string): string | undefined {
  return directory === "" ? undefined : absolutePath(`${directory}/${fileName(session)}.md`, cwd);
}

/** Nothing where no file is set; `{session}` in it stands for the session. */
export function todoPath(file: string, session: string, cwd: string): string | undefined {
  return file === "" ? undefined : absolutePath(file.replaceAll("{session}", fileName(session)), cwd);
}

function fileName(session: string): string {
  return session.replace(/[^\w.-]+/gu, "-");
}
