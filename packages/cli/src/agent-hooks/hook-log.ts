// The log of problems in hook calls, for `sotto doctor`: agents do not show them.

import { appendFileSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hideQuotedKeys, makeDirectorySync, userDirectories } from "sotto/internal";
import { readEndSync } from "sotto-agent/regular-file";
import { withReserve } from "./reserve.ts";

export interface LogLine {
  agent: string;
  event: string;
  problem: string;
  /** A file with space for a full disk. */
  reserve?: string | undefined;
}

// Rotated at this size; one older file is kept.
const MOST_BYTES = 128 * 1024;
const LONGEST = 600;

export function hookLogPath(): string {
  return join(userDirectories().stateDirectory, "hook.log");
}

/** Never throws. */
export function logProblem(
  path: string,
  { agent, event, problem, reserve }: LogLine,
  now = new Date(),
): void {
  try {
    makeDirectorySync(dirname(path));
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) renameSync(path, `${path}.1`);
    const words = [now.toISOString(), oneWord(agent), oneWord(event), oneLine(hideQuotedKeys(problem))].join(
      " ",
    );
    let before = "";
    withReserve(reserve, words.length, () => {
      const text = `${before}${words}\n`;
      // A part of it may have been written.
      before = "\n";
      appendFileSync(path, text, { mode: 0o600 });
    });
  } catch {
    // Nobody is left to report it to.
  }
}

/** The last `count` lines, oldest first. */
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
