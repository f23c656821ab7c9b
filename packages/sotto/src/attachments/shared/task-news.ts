// News of background tasks: for each task its progress and its end together.

import { isOutOfView, type ViewFact } from "../../facts/facts.ts";
import type { TaskEdge, TasksFact, TaskType } from "../../facts/tasks.ts";
import type { Sent } from "../attachment.ts";

export interface TaskNews extends Omit<TaskEdge, "id" | "deltaSummary" | "settledOn"> {
  deltas: string[];
  /** The pending items that it reports. */
  covers: string[];
}

export interface NewsOptions {
  view: ViewFact;
  sent: Pick<Sent<unknown>, "about">;
  /** Default: all types. */
  taskType?: TaskType;
}

/** Tasks with news, and running tasks that were started before the history was replaced and are no longer in view. */
export function tasksToReport(tasks: TasksFact, { view, sent, taskType }: NewsOptions): TaskNews[] {
  const isMeant = (task: { taskType: TaskType }) => taskType === undefined || task.taskType === taskType;
  const news = inRuns(tasks.pending.filter(isMeant)).map(toNews);
  const isReported = (taskId: string) =>
    news.some((one) => one.taskId === taskId) || sent.about(taskId).count > 0;
  const running = Object.values(tasks.running).filter(
    (task) => isMeant(task) && isOutOfView(view, task) && !isReported(task.taskId),
  );
  return [
    ...news,
    ...running.map(
      ({ seq: _seq, ...task }): TaskNews => ({
        ...task,
        status: "running",
        hasNewOutput: false,
        deltas: [],
        covers: [],
      }),
    ),
  ];
}

function toNews(edges: readonly TaskEdge[]): TaskNews {
  const { id: _id, deltaSummary: _delta, settledOn: _settled, ...last } = edges.at(-1) as TaskEdge;
  return {
    ...last,
    hasNewOutput: edges.some(({ hasNewOutput }) => hasNewOutput),
    deltas: edges.flatMap(({ deltaSummary }) => (deltaSummary === undefined ? [] : [deltaSummary])),
    covers: edges.map(({ id }) => id),
  };
}

/** Groups the news of a task with its end. A task that is started again is another one. */
function inRuns(pending: readonly TaskEdge[]): TaskEdge[][] {
  const runs: TaskEdge[][] = [];
  const open = new Map<string, TaskEdge[]>();
  for (const edge of pending) {
    const run = open.get(edge.taskId);
    if (run === undefined) runs.push([edge]);
    else run.push(edge);
    if (edge.status !== "running") open.delete(edge.taskId);
    else if (run === undefined) open.set(edge.taskId, runs.at(-1) as TaskEdge[]);
  }
  return runs;
}
