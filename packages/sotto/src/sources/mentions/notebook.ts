// A mentioned notebook: its cells with what they printed, parsed in a worker.

import { errorText } from "../../platform/errors.ts";
import { jobBytes, type LoadTools, type Shown } from "./content.ts";
import type { NotebookInput, NotebookText } from "./notebook-jobs.ts";
import { workPatiently } from "./slow-work.ts";

export interface NotebookFile {
  path: string;
  text: string;
  hash: string;
}

/** The problem, where it is none after all: it is text then. */
export async function loadNotebook(
  { path, text, hash }: NotebookFile,
  tools: LoadTools,
): Promise<Shown | { problem: string }> {
  const { lines, characters, notebookMs } = tools.limits;
  const input: NotebookInput = { ...jobBytes({ bytes: Buffer.from(text), hash }), lines, characters };
  try {
    const job = { module: JOBS, name: "readNotebook", input, about: `reading the notebook ${path}` };
    const answer = await workPatiently<NotebookText>(notebookMs, () => job, tools);
    if ("problem" in answer) return { problem: errorText(answer.problem) };
    const { cells, truncated } = answer;
    return { kind: "content", content: { type: "notebook", cells }, truncated };
  } catch (error) {
    return { problem: errorText(error) };
  }
}

// In the source tree it is a TypeScript file beside this one; in a bundle an entry of its own.
const JOBS = new URL(
  import.meta.url.endsWith(".ts") ? "./notebook-jobs.ts" : "./mention-notebook-jobs.js",
  import.meta.url,
).href;
