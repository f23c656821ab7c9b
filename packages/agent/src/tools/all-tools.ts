// The agent's tools, in a fixed order: another order would invalidate the prompt cache.

import { askUserQuestion } from "./ask-user-question.ts";
import { bash } from "./bash.ts";
import { edit } from "./edit.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { enterPlanMode, exitPlanMode } from "./plan-mode.ts";
import { read } from "./read.ts";
import { task, taskOutput } from "./task.ts";
import { todoWrite } from "./todo-write.ts";
import type { Tool } from "./tool.ts";
import { write } from "./write.ts";

export const allTools: readonly Tool[] = [
  read,
  write,
  edit,
  glob,
  grep,
  bash,
  taskOutput,
  todoWrite,
  task,
  askUserQuestion,
  enterPlanMode,
  exitPlanMode,
];

/** The tools with these names, in the same order; default: all. */
export function toolsFor(
  names: readonly string[] | undefined,
  all: readonly Tool[] = allTools,
): readonly Tool[] {
  return names === undefined ? all : all.filter(({ name }) => names.includes(name));
}
