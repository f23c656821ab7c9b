// A team mate at work: the same program as a process of its own, led to its end. Its last words are the answer.

import process from "node:process";
import { followOutput } from "../tasks/follow-output.ts";
import { startGroup } from "../tasks/process-group.ts";
import { createExcerpt } from "../tools/excerpt.ts";
import type { TaskAnswer } from "../tools/tool.ts";

export interface MateRequest {
  /** Behind `sotto`. */
  args: readonly string[];
  prompt: string;
  signal: AbortSignal;
}

const MOST_ANSWER = 100_000;
const MOST_NOTES = 4000;

export async function runMate({ args, prompt, signal }: MateRequest): Promise<TaskAnswer> {
  signal.throwIfAborted();
  const [, program = ""] = process.argv;
  const group = await startGroup(
    { file: process.execPath, args: [...process.execArgv, program, ...args], input: prompt },
    process.cwd(),
  );
  const answer = createExcerpt(MOST_ANSWER);
  const notes = createExcerpt(MOST_NOTES);
  const { stdout, stderr } = group;
  const followed = [
    followOutput({ streams: [stdout] }, answer.add),
    followOutput({ streams: [stderr] }, notes.add),
  ];
  const end = () => void group.end();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const { exitCode, signal: killedBy } = await group.ended;
  signal.removeEventListener("abort", end);
  await Promise.all(followed.map((one) => one.drained()));
  const said = answer.text().trim();
  if (exitCode === 0) return { text: said === "" ? "It ended without a word." : said };
  if (signal.aborted) return { text: said, isError: true, error: wordsOf(signal.reason) };
  if (exitCode === undefined) return { text: said, isError: true, error: `ended by ${killedBy}` };
  const text = [said, notes.text().trim()].filter((part) => part !== "").join("\n\n");
  return { text, isError: true, error: `exit code ${exitCode}` };
}

function wordsOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : "stopped";
}
