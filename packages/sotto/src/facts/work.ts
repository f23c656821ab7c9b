// What ran for the agent, and when: its commands and tools, its tasks, its hooks, those of its sub-agents. A file that
// changed meanwhile was changed by it.

import type { EventOf, StoredEvent } from "./events.ts";
import type { FoldContext, Slice } from "./slice.ts";

export interface Work {
  id: string;
  kind: "command" | "tool" | "hook" | "task" | "agent";
  /** The command, the name of the tool, what the task is about. */
  name: string;
  /** Whose it is where it is not the agent's own, in words. */
  of?: string;
  /** Where it ran, if not in the session's directory. */
  directory?: string;
  /** The name is not all of its words, or something else stands for some of them. */
  abridged?: true;
  /** In milliseconds; absent: nobody knows when it began. */
  from?: number;
  /** Absent: its end was not recorded. */
  to?: number;
  /** The program that had started it was gone, or another one took over: nobody knows how long it ran. */
  doubtful?: true;
  /** What it writes is recorded by itself, so its time proves nothing. */
  recordsWrites?: true;
  /** A request has shown the call that started this task. */
  called?: true;
}

export interface WorkFact {
  /** The latest last. */
  latest: Work[];
}

// Changes are found soon after they were made; a command that waits for its end is looked for among these.
const KEPT = 200;

export const work: Slice<WorkFact> = {
  initial: () => ({ latest: [] }),
  apply(state, event, context) {
    if (event.type === "session_started")
      for (const one of state.latest) if (one.kind === "task" && one.to === undefined) one.doubtful = true;
    const found = workIn(event, context);
    if (found === undefined || isCallOfTask(state, event)) return;
    const { done, isEnd } = found;
    const begun = begunAs(state, done, isEnd);
    if (begun !== undefined) {
      // Begun anew under the same id, it is another one, and the first is over.
      const to = isEnd ? done.to : done.from;
      if (to !== undefined) begun.to = to;
      if (isEnd && done.from !== undefined) begun.from = done.from;
      if (isEnd) return;
    }
    // What ends without having begun here, and without a word, says nothing.
    if (isEnd && done.name === "") return;
    state.latest.push(done);
    if (state.latest.length > KEPT) state.latest.shift();
  },
};

function workIn(event: StoredEvent, { at, seq }: FoldContext): { done: Work; isEnd: boolean } | undefined {
  switch (event.type) {
    case "command_ran":
      return { done: commandWork(event, at), isEnd: event.endedAt !== undefined };
    case "task_started":
      // What works elsewhere changes nothing here.
      return event.taskType === "remote_session" ? undefined : { done: taskWork(event, at), isEnd: false };
    case "task_finished":
      return {
        done: { id: `task ${event.taskId}`, kind: "task", name: "", ...span({ to: at }) },
        isEnd: true,
      };
    case "hook_finished": {
      const { startedAt, command, hookName } = event;
      if (startedAt === undefined) return undefined;
      const times = span({ from: startedAt, to: at });
      return { done: { id: `hook ${seq}`, kind: "hook", name: command ?? hookName, ...times }, isEnd: false };
    }
    default:
      return undefined;
  }
}

function commandWork(
  { id, command, kind = "command", of, directory, abridged, startedAt, endedAt }: EventOf<"command_ran">,
  at: string,
): Work {
  // Without a time it is over, and ran at some time before it was recorded.
  const to = endedAt ?? (startedAt === undefined ? at : undefined);
  return {
    id: `${kind} ${id}`,
    kind,
    name: command,
    ...(of === undefined ? {} : { of }),
    ...(directory === undefined ? {} : { directory }),
    ...(abridged === undefined ? {} : { abridged }),
    ...span({ from: startedAt, to }),
  };
}

function taskWork(event: EventOf<"task_started">, at: string): Work {
  const { taskId, taskType, description, command, startedAt, recordsWrites } = event;
  return {
    id: `task ${taskId}`,
    kind: taskType === "shell" ? "task" : "agent",
    name: `${taskId} (${command ?? description})`,
    ...span({ from: startedAt ?? at }),
    ...(recordsWrites ? { recordsWrites } : {}),
  };
}

/** The host has recorded it as a task: it is not a command besides. */
function isCallOfTask({ latest }: WorkFact, event: StoredEvent): boolean {
  if (event.type !== "command_ran" || !event.fromRequest) return false;
  const task = latest.find(
    ({ kind, name, called }) => kind === "task" && !called && name.endsWith(` (${event.command})`),
  );
  if (task !== undefined) task.called = true;
  return task !== undefined;
}

/** By its id; where an agent gives none, the command of the same words that still runs. */
function begunAs({ latest }: WorkFact, { id, name, kind, of }: Work, isEnd: boolean): Work | undefined {
  const open = latest.filter(({ to }) => to === undefined);
  const isAlike = (one: Work) => one.kind === kind && one.name === name && one.of === of;
  return open.findLast((one) => one.id === id) ?? (isEnd ? open.find(isAlike) : undefined);
}

/** A time that is none is not known. */
function span(times: { from?: string | undefined; to?: string | undefined }): { from?: number; to?: number } {
  const [from, to] = [Date.parse(times.from ?? ""), Date.parse(times.to ?? "")];
  return { ...(Number.isNaN(from) ? {} : { from }), ...(Number.isNaN(to) ? {} : { to }) };
}
