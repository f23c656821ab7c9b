// Where hook calls write what went wrong: agents show it to nobody, so it is kept for `sotto doctor`.

import { appendFileSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "sotto/internal";
import { readEndSync } from "sotto-agent/regular-file";

export interface LogLine {
  agent: string;
  event: string;
  problem: string;
}

// One file of this size and one before it.
const MOST_BYTES = 128 * 1024;
const LONGEST = 600;

/** Never throws: there is nobody left to tell. */
export function logProblem(path: string, { agent, event, problem }: LogLine, now = new Date()): void {
  try {
    makeDirectory(dirname(path));
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) renameSync(path, `${path}.1`);
    const words = [now.toISOString(), oneWord(agent), oneWord(event), oneLine(problem)].join(" ");
    appendFileSync(path, `${words}\n`, { mode: 0o600 });
  } catch {
    // A disk that takes no store takes no log, either.
  }
}

/** The last lines, oldest first. */
export function lastProblems(path: string, count: number): string[] {
  try {
    return readEndSync(path, MOST_BYTES * 2)
      .toString("utf8")
      .split("\n")
      .filter(Boolean)
      .slice(-count);
  } catch {
    return [];
  }
}

function oneWord(text: string): string {
  return text.replace(/[^\w.:-]/gu, "_").slice(0, 40) || "-";
}

function oneLine(text: string): string {
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/gu, " ").slice(0, LONGEST);
}
