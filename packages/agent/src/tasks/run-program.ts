// A program led to its end: told a prompt first, its last words are the answer.

import process from "node:process";
import { createExcerpt } from "../tools/excerpt.ts";
import type { TaskAnswer } from "../tools/tool.ts";
import { followOutput } from "./follow-output.ts";
import { startGroup } from "./process-group.ts";

export interface ProgramRequest {
  file: string;
  args: readonly string[];
  prompt: string;
  signal: AbortSignal;
}

const MOST_ANSWER = 100_000;
const MOST_NOTES = 4000;

export async function runProgram({ file, args, prompt, signal }: ProgramRequest): Promise<TaskAnswer> {
  signal.throwIfAborted();
  const group = await startGroup({ file, args, input: prompt }, process.cwd());
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
