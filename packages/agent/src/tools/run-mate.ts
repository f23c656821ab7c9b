// A team mate at work: the same program as a process of its own.

import process from "node:process";
import { runProgram } from "../tasks/run-program.ts";
import type { TaskAnswer } from "./tool.ts";

export interface MateRequest {
  /** Behind `sotto`. */
  args: readonly string[];
  prompt: string;
  signal: AbortSignal;
}

export function runMate({ args, prompt, signal }: MateRequest): Promise<TaskAnswer> {
  const [, program = ""] = process.argv;
  const all = [...process.execArgv, program, ...args];
  return runProgram({ file: process.execPath, args: all, prompt, signal });
}
