// Files to look at, one after the other: of each the latest word, and of those that were only read the latest few.

import type { SessionEvent } from "../../facts/events.ts";

export interface Task {
  path: string;
  why: "written" | "read" | "changed" | "removed" | "resumed";
  /** What stood there, where somebody has looked already. */
  seen?: { realPath: string; text: string };
}

export interface Queue {
  add(task: Task): void;
  isBusy(): boolean;
  /** Nothing was ever added. */
  isFresh(): boolean;
  close(): void;
}

const MOST_READ = 64;

/** What fails costs only that file. */
export function createQueue(work: (task: Task) => Promise<void>): Queue {
  const waiting = new Map<string, Task[]>();
  let isWorking = false;
  let isFresh = true;
  let isClosed = false;

  const run = async () => {
    isWorking = true;
    for (const [path, tasks] of waiting) {
      waiting.delete(path);
      for (const task of tasks) if (!isClosed) await work(task).catch(() => undefined);
    }
    isWorking = false;
  };
  return {
    add(task) {
      if (isClosed) return;
      isFresh = false;
      const before = waiting.get(task.path) ?? [];
      waiting.set(task.path, joined(before, task));
      const read = [...waiting.values()].filter((tasks) => tasks.every(({ why }) => why === "read"));
      if (read.length > MOST_READ) waiting.delete(read[0]?.[0]?.path as string);
      if (!isWorking) void run();
    },
    isBusy: () => isWorking,
    isFresh: () => isFresh,
    close() {
      isClosed = true;
      waiting.clear();
    },
  };
}

/** How it stood first, and what became of it last. */
function joined(before: readonly Task[], task: Task): Task[] {
  const last = before.at(-1);
  // Whoever looks at what it wrote learns nothing new.
  if (last?.why === "written" && task.why === "read") return [...before];
  const first = before[0];
  return first === undefined || (first === last && first.why === task.why) ? [task] : [first, task];
}

/** What an event asks for, if anything. */
export function taskIn(event: SessionEvent): Task | undefined {
  const { type } = event;
  if (type === "file_read" || type === "file_written") {
    const { path, content, version } = event;
    const isText = content !== undefined && version?.kind === "text";
    const seen = isText ? { seen: { realPath: version.realPath, text: content } } : {};
    return { path, why: type === "file_read" ? "read" : "written", ...seen };
  }
  if (type === "file_attached")
    return event.content.type === "text" ? { path: event.path, why: "read" } : undefined;
  if (type === "file_removed") return { path: event.path, why: "removed" };
  if (type !== "file_changed") return undefined;
  return { path: event.path, why: event.change === "deleted" ? "removed" : "changed" };
}
