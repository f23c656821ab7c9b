// What ran for the agent, and when: commands, tools, tasks, hooks and sub-agents. Used to work out who changed a file.

import { mayChangeFiles } from "../platform/shell/command-effects.ts";
import type { EventOf, StoredEvent } from "./events.ts";
import { type FoldContext, slice } from "./slice.ts";

export interface Work {
  id: string;
  kind: "command" | "tool" | "hook" | "task" | "agent";
  /** The command, the name of the tool, or the description of the task. */
  name: string;
  /** Whose it is, in words, if not the agent's own. */
  of?: string;
  /** The directory it ran in, if not the session's. */
  directory?: string;
  /** The name is not the whole command, or parts of it are replaced. */
  abridged?: true;
  /** Start, in milliseconds. Unset if unknown. */
  from?: number;
  /** End, in milliseconds. Unset if it was not recorded. */
  to?: number;
  /** Its end is unknown: the program that started it was replaced, or it was refused or interrupted. */
  doubtful?: true;
  /** It goes on when its call has ended. */
  background?: true;
  /** Its writes are recorded separately, so its time says nothing about other changes. */
  recordsWrites?: true;
  /** A request has shown the call that started this task. */
  called?: true;
  /** It can have changed these files only. */
  paths?: string[];
}

export interface WorkFact {
  /** The latest last. */
  latest: Work[];
  /** Calls that are writing files now. */
  writing: Writing[];
  /** Sub-agents of other processes that work now. */
  subagents: Subagent[];
}

export interface Subagent {
  /** The id of its session. */
  id: string;
  type: string;
}

export interface Writing {
  id: string;
  /** The name of the tool. */
  tool?: string | undefined;
  /** Whose call it is, in words, if not the agent's own. */
  of?: string | undefined;
  paths: string[];
  /** When it was recorded, in milliseconds. */
  from: number;
  /** Since when nobody looks at these files: it began then, or another call that it overlaps. In milliseconds. */
  since: number;
}

// Changes are found soon after they are made, so a short list is enough.
const KEPT = 200;
const WRITING_KEPT = 50;
// Agents run fewer at once; one that was killed has no end.
const SUBAGENTS_KEPT = 12;
// A call that was refused, or failed, may have no end. Another agent's is waited for less: its end may never be told here.
const LONGEST_WRITE_MS = 600_000;
const LONGEST_OF_OTHERS_MS = 20_000;

export const work = slice({
  version: 3,
  initial: (): WorkFact => ({ latest: [], writing: [], subagents: [] }),
  on: [
    "command_ran",
    "task_started",
    "task_finished",
    "hook_finished",
    "writing_changed",
    "subagent_runs",
    "calls_over",
    "session_started",
    "session_ended",
  ],
  apply(state, event, context) {
    if (event.type === "session_started")
      for (const one of state.latest) if (one.kind === "task" && one.to === undefined) one.doubtful = true;
    if (event.type === "session_ended" || (event.type === "session_started" && event.reason !== "resume"))
      state.subagents = [];
    if (event.type === "subagent_runs") {
      const { id, agentType: type, over } = event;
      const others = state.subagents.filter((one) => one.id !== id).slice(1 - SUBAGENTS_KEPT);
      state.subagents = over ? others : [...others, { id, type }];
    }
    if (OVER.has(event.type)) {
      for (const call of openCalls(state)) Object.assign(call, span({ to: context.at }), { doubtful: true });
      // What a call wrote that was killed has no other record. While the agent goes on it was most likely refused.
      const isOwn = ({ of }: Writing) => of === undefined;
      if (event.type !== "calls_over")
        for (const one of state.writing.filter(isOwn))
          keep(state, { ...asWork(one), ...span({ to: context.at }) });
      state.writing = state.writing.filter((one) => !isOwn(one));
    }
    if (event.type === "writing_changed") {
      const { type: _, leaves: _leaves, ...call } = event;
      const others = state.writing.filter(({ id }) => id !== call.id).slice(1 - WRITING_KEPT);
      const isOver = call.paths.length === 0;
      const from = Date.parse(context.at);
      const earlier = callsOn(others, call.paths, from).map(({ since }) => since);
      const since = Math.min(call.since ?? from, ...earlier);
      state.writing = isOver ? others : [...others, { ...call, from, since }];
    }
    const found = workIn(event, context);
    if (found === undefined || isCallOfTask(state, event)) return;
    const { done, isEnd } = found;
    const begun = begunAs(state, done, isEnd);
    if (begun !== undefined) {
      // Started again under the same id: a new one, and the first has ended.
      const to = isEnd ? done.to : done.from;
      if (to !== undefined) begun.to = to;
      if (isEnd && isCall(begun)) delete begun.doubtful;
      if (isEnd && done.from !== undefined) begun.from = done.from;
      if (isEnd) return;
    }
    // An end without a known start or name says nothing.
    if (isEnd && done.name === "") return;
    keep(state, done);
  },
});

function keep({ latest }: WorkFact, done: Work): void {
  latest.push(done);
  if (latest.length > KEPT) latest.shift();
}

/** With these, none of the agent's calls is under way any more. */
const OVER: ReadonlySet<StoredEvent["type"]> = new Set(["calls_over", "session_started", "session_ended"]);

/** The agent's own calls whose end was not recorded. */
export function openCalls({ latest }: WorkFact): Work[] {
  return latest.filter((one) => isCall(one) && one.to === undefined && !one.background);
}

/** Whether a call is writing a file under one of these paths. */
export function isBeingWritten({ writing }: WorkFact, paths: readonly string[], now: number): boolean {
  return callsOn(writing, paths, now).length > 0;
}

function callsOn(writing: readonly Writing[], paths: readonly string[], now: number): Writing[] {
  return writing.filter(({ of, from, paths: written }) => {
    const longest = of === undefined ? LONGEST_WRITE_MS : LONGEST_OF_OTHERS_MS;
    return now - from < longest && written.some((path) => paths.includes(path));
  });
}

/** What can have changed a file with one of these paths. */
export function workOn({ latest, writing }: WorkFact, paths: readonly string[]): Work[] {
  return [...latest, ...writing.map(asWork)].filter(
    (one) => one.paths === undefined || one.paths.some((path) => paths.includes(path)),
  );
}

/** Without a recorded end: it may have been killed, before or after it wrote. */
function asWork({ id, tool = "a tool", of, paths, since: from }: Writing): Work {
  const whose = of === undefined ? {} : { of };
  return { id: `writing ${id}`, kind: "tool", name: tool, ...whose, paths, from, doubtful: true };
}

function isCall({ kind, of }: Work): boolean {
  return (kind === "command" || kind === "tool") && of === undefined;
}

function workIn(event: StoredEvent, { at, seq }: FoldContext): { done: Work; isEnd: boolean } | undefined {
  switch (event.type) {
    case "command_ran":
      return { done: commandWork(event, at), isEnd: event.endedAt !== undefined };
    case "task_started":
      return changesNothing(event) ? undefined : { done: taskWork(event, at), isEnd: false };
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

/** A remote session changes no file here, nor does a command such as `echo` or `sleep`. */
function changesNothing({ taskType, command }: EventOf<"task_started">): boolean {
  return taskType === "remote_session" || (command !== undefined && !mayChangeFiles(command));
}

function commandWork(event: EventOf<"command_ran">, at: string): Work {
  const { id, command, kind = "command", of, directory, abridged, startedAt, endedAt, background } = event;
  // Without times it has ended, and ran before it was recorded.
  const to = endedAt ?? (startedAt === undefined ? at : undefined);
  return {
    id: `${kind} ${id}`,
    kind,
    name: command,
    ...(of === undefined ? {} : { of }),
    ...(directory === undefined ? {} : { directory }),
    ...(abridged === undefined ? {} : { abridged }),
    ...(background === undefined ? {} : { background }),
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

/** Whether the host has recorded this command as a task. */
function isCallOfTask({ latest }: WorkFact, event: StoredEvent): boolean {
  if (event.type !== "command_ran" || !event.fromRequest) return false;
  const task = latest.find(
    ({ kind, name, called }) => kind === "task" && !called && name.endsWith(` (${event.command})`),
  );
  if (task !== undefined) task.called = true;
  return task !== undefined;
}

/** The work that this event ends or restarts: by id, or the running command with the same text. */
function begunAs({ latest }: WorkFact, { id, name, kind, of }: Work, isEnd: boolean): Work | undefined {
  // One that counted as over may end after all.
  const open = latest.filter((one) => one.to === undefined || (isEnd && isCall(one) && one.doubtful));
  const isAlike = (one: Work) => one.kind === kind && one.name === name && one.of === of;
  return open.findLast((one) => one.id === id) ?? (isEnd ? open.find(isAlike) : undefined);
}

/** Invalid times are left out. */
function span(times: { from?: string | undefined; to?: string | undefined }): { from?: number; to?: number } {
  const [from, to] = [Date.parse(times.from ?? ""), Date.parse(times.to ?? "")];
  return { ...(Number.isNaN(from) ? {} : { from }), ...(Number.isNaN(to) ? {} : { to }) };
}
