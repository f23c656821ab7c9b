// What there is to tell of background tasks: each with its news and its end together.

import type { TaskEdge, TasksFact, TaskType } from "../../facts/tasks.ts";
import { isOutOfView, type ViewFact } from "../../facts/view.ts";
import type { Sent } from "../attachment.ts";

export interface TaskNews extends Omit<TaskEdge, "id" | "deltaSummary" | "settledOn"> {
  deltas: string[];
  /** The edges that are told by it. */
  covers: string[];
}

export interface NewsOptions {
  view: ViewFact;
  said: Pick<Sent<unknown>, "about">;
  /** All kinds of tasks unless given. */
  taskType?: TaskType;
}

/** Tasks with news, and those that run and began before the history was replaced: the model sees them nowhere. */
export function tasksToReport(tasks: TasksFact, { view, said, taskType }: NewsOptions): TaskNews[] {
  const isMeant = (task: { taskType: TaskType }) => taskType === undefined || task.taskType === taskType;
  const news = inRuns(tasks.pending.filter(isMeant)).map(toNews);
  const isTold = (taskId: string) =>
    news.some((one) => one.taskId === taskId) || said.about(taskId).count > 0;
  const running = Object.values(tasks.running).filter(
    (task) => isMeant(task) && isOutOfView(view, task) && !isTold(task.taskId),
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

/** What belongs together: the news of a task and its end. A task started anew is another one. */
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
