// Background tasks: which are running, and their news that was not sent yet.

import type { EventOf } from "./events.ts";
import { dropEdges, type Edge, type Edges, noEdges } from "./pending.ts";
import { type FoldContext, slice } from "./slice.ts";

export type TaskType = EventOf<"task_started">["taskType"];

export interface Task {
  taskId: string;
  taskType: TaskType;
  description: string;
  command?: string;
}

interface RunningTask extends Task {
  /** The log entry of its start. */
  seq: number;
}

export interface TaskEdge extends Edge, Task {
  status: "running" | "completed" | "failed";
  deltaSummary?: string;
  exitCode?: number;
  error?: string;
  /** There is output that the model was not told about. */
  hasNewOutput: boolean;
}

export interface TaskProgress {
  taskId: string;
  taskType: TaskType;
  message: string;
  /** The log entry of the message. */
  seq: number;
}

export interface TasksFact extends Edges<TaskEdge> {
  /** By `tasks/id`. */
  running: Record<string, RunningTask>;
  /** The latest progress message of each running task, by `tasks/id`. */
  progress: Record<string, TaskProgress>;
  /** Tasks with output that the model was not told about, by `tasks/id`. */
  unseen: Record<string, true>;
  /** Finished tasks. Later events about them are ignored. */
  finished: string[];
}

const FINISHED_KEPT = 500;
// Of unsent news about one task, only the latest are kept.
const NEWS_KEPT = 5;

export const tasks = slice({
  initial: (): TasksFact => ({ running: {}, progress: {}, unseen: {}, finished: [], ...noEdges<TaskEdge>() }),
  on: ["task_started", "task_progress", "task_output", "task_finished"],
  apply(state, event, context) {
    if (event.type === "task_started") {
      start(state, event, context);
    } else if (event.type === "task_progress") noteProgress(state, event, context);
    else if (event.type === "task_output") addNews(state, event, context);
    else if (event.type === "task_finished") finish(state, event, context);
  },
  settled(state, edge) {
    delete state.unseen[keyOf((edge as TaskEdge).taskId)];
  },
});

/** A task that starts again under the same id is a new task. */
function start(
  state: TasksFact,
  { taskId, taskType, description, command }: EventOf<"task_started">,
  { seq }: FoldContext,
): void {
  forget(state, taskId);
  state.finished = state.finished.filter((id) => id !== taskId);
  const task: RunningTask = { taskId, taskType, description, seq };
  if (command !== undefined) task.command = command;
  state.running[keyOf(taskId)] = task;
}

function noteProgress(
  state: TasksFact,
  { taskId, message }: EventOf<"task_progress">,
  { seq }: FoldContext,
): void {
  if (state.finished.includes(taskId) || message.trim() === "") return;
  const { taskType } = known(state, taskId);
  state.progress[keyOf(taskId)] = { taskId, taskType, message, seq };
}

function addNews(state: TasksFact, event: EventOf<"task_output">, { seq, supersede }: FoldContext): void {
  const { taskId, deltaSummary } = event;
  if (state.finished.includes(taskId)) return;
  state.unseen[keyOf(taskId)] = true;
  if (deltaSummary === undefined) return;
  const news = state.pending.filter((edge) => edge.taskId === taskId && edge.status === "running");
  const oldest = news[0];
  if (oldest !== undefined && news.length >= NEWS_KEPT) {
    dropEdges(state, (edge) => edge.id === oldest.id);
    supersede(
      "task_status",
      `task ${taskId} had more than ${NEWS_KEPT} unsaid pieces of news; the oldest was dropped`,
    );
  }
  const edge = { ...known(state, taskId), status: "running" as const, deltaSummary, hasNewOutput: true };
  state.pending.push({ id: `tasks/news/${seq}`, ...edge });
}

/** Unsent news of the task stays pending and is sent together with its end. */
function finish(state: TasksFact, event: EventOf<"task_finished">, { seq }: FoldContext): void {
  const { taskId, status } = event;
  if (state.finished.includes(taskId)) return;
  const hasNewOutput = state.unseen[keyOf(taskId)] === true || (event.deltaSummary ?? "") !== "";
  const edge: TaskEdge = { id: `tasks/end/${seq}`, status, ...known(state, taskId), hasNewOutput };
  if (event.exitCode !== undefined) edge.exitCode = event.exitCode;
  if (event.error !== undefined) edge.error = event.error;
  const last = [event.deltaSummary, event.error, exitText(event.exitCode)].filter(
    (part) => part !== undefined && part !== "",
  );
  if (last.length > 0) edge.deltaSummary = last.join("; ");
  state.pending.push(edge);
  forget(state, taskId);
  state.finished.push(taskId);
  if (state.finished.length > FINISHED_KEPT) state.finished.shift();
}

function forget(state: TasksFact, taskId: string): void {
  for (const record of [state.running, state.progress, state.unseen]) delete record[keyOf(taskId)];
}

function exitText(exitCode: number | undefined): string | undefined {
  return exitCode === undefined || exitCode === 0 ? undefined : `exit code ${exitCode}`;
}

function known(state: TasksFact, taskId: string): Task {
  const running = state.running[keyOf(taskId)];
  if (running === undefined)
    return { taskId, taskType: "shell", description: "started outside this session" };
  const { seq: _seq, ...task } = running;
  return task;
}

/** With a prefix, so that it is never the name of an inherited property. */
function keyOf(taskId: string): string {
  return `tasks/${taskId}`;
}
