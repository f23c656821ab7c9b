// Background tasks: which run, and what happened to them that was not said yet.

import { dropEdges, type Edge, type Edges, noEdges } from "../edge.ts";
import type { EventOf } from "../events.ts";
import type { FoldContext, Slice } from "./slice.ts";

export type TaskType = EventOf<"task_started">["taskType"];

export interface Task {
  taskId: string;
  taskType: TaskType;
  description: string;
}

export interface TaskEdge extends Edge, Task {
  status: "running" | "completed" | "failed";
  deltaSummary?: string;
}

export interface TasksFact extends Edges<TaskEdge> {
  /** By `tasks/id`. */
  running: Record<string, Task>;
  /** Finished tasks: a late word about them is no news. */
  finished: string[];
}

const FINISHED_KEPT = 500;
// News of one task that piled up unsaid is told by its latest parts.
const NEWS_KEPT = 5;

export const tasks: Slice<TasksFact> = {
  initial: () => ({ running: {}, finished: [], ...noEdges<TaskEdge>() }),
  apply(state, event, context) {
    if (event.type === "task_started") {
      const { taskId, taskType, description } = event;
      state.finished = state.finished.filter((id) => id !== taskId);
      state.running[keyOf(taskId)] = { taskId, taskType, description };
    } else if (event.type === "task_output") addNews(state, event, context);
    else if (event.type === "task_finished") finish(state, event, context);
  },
};

function addNews(state: TasksFact, event: EventOf<"task_output">, { seq, supersede }: FoldContext): void {
  const { taskId, deltaSummary } = event;
  if (deltaSummary === undefined || state.finished.includes(taskId)) return;
  const news = state.pending.filter((edge) => edge.taskId === taskId && edge.status === "running");
  const oldest = news[0];
  if (oldest !== undefined && news.length >= NEWS_KEPT) {
    dropEdges(state, (edge) => edge.id === oldest.id);
    supersede(
      "task_status",
      `task ${taskId} had more than ${NEWS_KEPT} unsaid pieces of news; the oldest was dropped`,
    );
  }
  state.pending.push({ id: `tasks/news/${seq}`, status: "running", ...known(state, taskId), deltaSummary });
}

/** What is still unsaid of the task stays, and is told together with its end. */
function finish(state: TasksFact, event: EventOf<"task_finished">, { seq }: FoldContext): void {
  const { taskId, status } = event;
  if (state.finished.includes(taskId)) return;
  const edge: TaskEdge = { id: `tasks/end/${seq}`, status, ...known(state, taskId) };
  const last = [event.deltaSummary, event.error, exitText(event.exitCode)].filter(
    (part) => part !== undefined && part !== "",
  );
  if (last.length > 0) edge.deltaSummary = last.join("; ");
  state.pending.push(edge);
  delete state.running[keyOf(taskId)];
  state.finished.push(taskId);
  if (state.finished.length > FINISHED_KEPT) state.finished.shift();
}

function exitText(exitCode: number | undefined): string | undefined {
  return exitCode === undefined || exitCode === 0 ? undefined : `exit code ${exitCode}`;
}

function known(state: TasksFact, taskId: string): Task {
  return (
    state.running[keyOf(taskId)] ?? { taskId, taskType: "shell", description: "started outside this session" }
  );
}

/** Never the name of something that every object has. */
function keyOf(taskId: string): string {
  return `tasks/${taskId}`;
}
