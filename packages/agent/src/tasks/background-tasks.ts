// Background tasks: processes and agents that run while the agent does something else. Their progress is recorded.

import { type FileHandle, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { Session, SessionEvent } from "sotto";
import type { EventOf } from "sotto/extend";
import { endsWithin, makeDirectory } from "sotto/internal";
import type { Listener } from "../agent-events.ts";
import { openRegular, readHandle } from "../regular-file.ts";
import { cutMiddle } from "../tools/excerpt.ts";
import type { TaskAnswer, TaskStatus, Tasks } from "../tools/tool.ts";
import { followOutput, type RunningCommand, startCommand } from "./run-program.ts";

export interface TasksOptions {
  session: Pick<Session, "record">;
  listen: Listener;
  /** Where output is stored. Task ids are unique in it. */
  directory: string;
}

interface Task {
  taskId: string;
  status: TaskStatus;
  exitCode?: number;
  file: BoundedFile;
  news: TaskNews;
  /** How many bytes of the output were read. */
  read: number;
}

interface KnownTask extends Task {
  description: string;
  stopped: boolean;
  stop(): Promise<void> | void;
  /** Resolves when its end is recorded. */
  ended: Promise<void>;
}

type Started = Omit<EventOf<"task_started">, "type" | "taskId">;
type Ending = Pick<EventOf<"task_finished">, "status" | "exitCode" | "error">;
type Work = { stop: KnownTask["stop"]; done: Promise<Ending> };

const MOST_OUTPUT = 30_000;
// Do not wait longer for a sub-agent that ignores the signal.
const STOP_MS = 5000;
const IS_ENDING = "the agent is ending: no new task can start";

export function createTasks({ session, listen, directory }: TasksOptions): Tasks {
  const tasks = new Map<string, KnownTask>();
  const counts = { a: 0, b: 0, r: 0 };
  let closing = false;

  const record = async (event: SessionEvent) => {
    try {
      await session.record(event);
    } catch (error) {
      listen({
        type: "notice",
        text: `an event of a task could not be recorded: ${(error as Error).message}`,
      });
    }
  };

  const create = async (letter: keyof typeof counts): Promise<Task> => {
    if (closing) throw new Error(IS_ENDING);
    const { taskId, file } = await openFile(directory, () => `${letter}${++counts[letter]}`);
    const news = createTaskNews((deltaSummary) => void record({ type: "task_output", taskId, deltaSummary }));
    return { taskId, status: "running", file, news, read: 0 };
  };

  /** Registers the task. Its end is recorded after its start. */
  const enrol = async (task: Task, event: Started, { stop, done }: Work) => {
    const { taskId } = task;
    const { description } = event;
    const announce = async () => {
      if (closing) throw new Error(IS_ENDING);
      await session.record({ type: "task_started", taskId, ...event });
      listen({ type: "task", taskId, description, status: "running" });
    };
    const announced = announce();
    const ended = Promise.all([done, announced]).then(([ending]) => finish(known, ending));
    const known: KnownTask = Object.assign(task, { description, stopped: false, stop, ended });
    tasks.set(taskId, known);
    try {
      await announced;
      return { taskId };
    } catch (error) {
      ended.catch(() => task.file.close());
      tasks.delete(taskId);
      await stop();
      throw error;
    }
  };

  const finish = async (task: KnownTask, { status, exitCode, error }: Ending) => {
    const { taskId, description, stopped } = task;
    const why = stopped && status === "failed" ? "stopped when the agent ended" : error;
    const deltaSummary = task.news.end();
    await record({
      type: "task_finished",
      taskId,
      status,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(why === undefined ? {} : { error: why }),
      ...(deltaSummary === "" ? {} : { deltaSummary }),
    });
    await task.file.close();
    task.status = status;
    if (exitCode !== undefined) task.exitCode = exitCode;
    listen({ type: "task", taskId, description, status });
  };

  return {
    async startShell({ command, cwd, description }) {
      const task = await create("b");
      const startedAt = new Date().toISOString();
      const group = await startCommand(command, cwd).catch(async (error: unknown) => {
        await task.file.close();
        throw error;
      });
      const work = { stop: group.end, done: endOf(group, task) };
      return enrol(task, { taskType: "shell", description, command, startedAt }, work);
    },

    async start({ taskType, description, recordsWrites, run }) {
      const task = await create(taskType === "agent" ? "a" : "r");
      const stopping = new AbortController();
      const stop = () => stopping.abort(new Error("the agent is ending"));
      const { taskId } = task;
      const tell = (message: string) => void record({ type: "task_progress", taskId, message });
      const done = answerOf(run(stopping.signal, tell), task);
      const event = { taskType, description, ...(recordsWrites ? { recordsWrites } : {}) };
      return enrol(task, event, { stop, done });
    },

    async output(taskId, { waitMs = 0, all = false, signal } = {}) {
      const task = tasks.get(taskId);
      if (task === undefined) return undefined;
      if (waitMs > 0 && task.status === "running") await wait(task.ended, waitMs, signal);
      const { status, exitCode } = task;
      const { text, end } = await task.file.read(all ? 0 : task.read);
      task.read = end;
      task.news.seen();
      const shown = cutMiddle(text, MOST_OUTPUT);
      return { status, text: shown, ...(exitCode === undefined ? {} : { exitCode }) };
    },

    list: () =>
      [...tasks.values()].map(({ taskId, description, status, exitCode }) => ({
        taskId,
        description,
        status,
        ...(exitCode === undefined ? {} : { exitCode }),
        outputPath: outputPath(directory, taskId),
      })),

    async close() {
      closing = true;
      const open = [...tasks.values()].filter(({ status }) => status === "running");
      for (const task of open) task.stopped = true;
      await Promise.all(open.map((task) => task.stop()));
      await Promise.all(
        open.map((task) =>
          endsWithin(
            task.ended.catch(() => undefined),
            STOP_MS,
          ),
        ),
      );
    },
  };
}

async function openFile(directory: string, nextId: () => string) {
  await makeDirectory(directory);
  for (;;) {
    const taskId = nextId();
    try {
      return { taskId, file: await createBoundedFile(outputPath(directory, taskId)) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function outputPath(directory: string, taskId: string): string {
  return join(directory, `${taskId}.log`);
}

async function endOf(group: RunningCommand, task: Task): Promise<Ending> {
  const output = followOutput(group, (text) => take(task, text));
  const { exitCode, signal } = await group.ended;
  await output.drained();
  if (exitCode !== undefined) return { status: exitCode === 0 ? "completed" : "failed", exitCode };
  return { status: "failed", error: `killed by ${signal}` };
}

async function answerOf(answer: Promise<TaskAnswer>, task: Task): Promise<Ending> {
  try {
    const { text, isError, error } = await answer;
    await take(task, text);
    return { status: isError ? "failed" : "completed", ...(error === undefined ? {} : { error }) };
  } catch (error) {
    return { status: "failed", error: (error as Error).message };
  }
}

async function take(task: Task, text: string): Promise<void> {
  task.news.add(text);
  await task.file.append(text);
}

async function wait(ended: Promise<void>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const over = new AbortController();
  const signals = signal === undefined ? [over.signal] : [over.signal, signal];
  const time = delay(ms, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
  await Promise.race([ended, time]);
  over.abort();
}

// Collects new output of a task and reports a short excerpt of it once a second.

export interface TaskNews {
  add(text: string): void;
  /** The agent has read all output. */
  seen(): void;
  /** Stops reporting, and returns the last lines. */
  end(): string;
}

const EVERY_MS = 1000;
// More than any excerpt needs.
const KEPT = 4000;

export function createTaskNews(tell: (summary: string) => void): TaskNews {
  let unheard = "";
  let latest = "";
  let timer: NodeJS.Timeout | undefined;
  const heard = () => {
    unheard = "";
    clearTimeout(timer);
    timer = undefined;
  };
  const tellIt = () => {
    const summary = lastLines(unheard, { count: 1, most: 200 });
    heard();
    if (summary !== "") tell(summary);
  };
  return {
    add(text) {
      unheard = (unheard + text).slice(-KEPT);
      latest = (latest + text).slice(-KEPT);
      timer ??= setTimeout(tellIt, EVERY_MS).unref();
    },
    seen: heard,
    end() {
      heard();
      return lastLines(latest, { count: 3, most: 400 });
    },
  };
}

// The last lines of output, as one short line.

const BLANK = /[\s\u0000-\u001f\u007f-\u009f]+/gu;
// Progress bars overwrite their line: keep what was drawn last.
const OVERDRAWN = /[^\n]*\r(?!\n)/gu;

export function lastLines(text: string, { count, most }: { count: number; most: number }): string {
  const lines = stripVTControlCharacters(text)
    .replace(OVERDRAWN, "")
    .split("\n")
    .map((line) => line.replace(BLANK, " ").trim())
    .filter((line) => line !== "");
  const joined = lines.slice(-count).join("; ");
  return joined.length <= most ? joined : `…${joined.slice(-most).toWellFormed()}`;
}

// A file that never exceeds a limit: older text is dropped and counted.

export interface BoundedFile {
  /** Never rejects: `read` reports what could not be written. */
  append(text: string): Promise<void>;
  /** Returns the text from an offset on, with a note about dropped text, and the end offset. */
  read(from: number): Promise<{ text: string; end: number }>;
  close(): Promise<void>;
}

const MOST_FILE_BYTES = 4 * 1024 * 1024;

/** Rejects when the file exists. Two parts, each half the limit: the older part is dropped whole. */
export async function createBoundedFile(path: string, most = MOST_FILE_BYTES): Promise<BoundedFile> {
  const olderPath = `${path}.older`;
  let handle: FileHandle = await open(path, "wx", 0o600);
  let older: number | undefined;
  let start = 0;
  let end = 0;
  let problem: string | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };

  const turnOver = async () => {
    await handle.close();
    await rename(path, olderPath);
    older = start;
    start = end;
    handle = await open(path, "w", 0o600);
  };
  const write = async (text: string) => {
    const bytes = Buffer.from(text.slice(-most / 8));
    if (end > start && end - start + bytes.length > most / 2) await turnOver();
    await handle.write(bytes);
    end += bytes.length;
  };

  return {
    append: (text) =>
      inTurn(() => write(text)).catch((error: NodeJS.ErrnoException) => {
        problem = error.code === "ENOSPC" ? "the disk is full" : error.message;
      }),
    read: (from) =>
      inTurn(async () => {
        const parts: string[] = [];
        const first = Math.max(from, older ?? start);
        if (first > from) parts.push(`[${first - from} bytes were dropped]\n`);
        if (first < start) parts.push(await slice(olderPath, first - (older ?? start), most));
        if (first < end) parts.push(await slice(path, Math.max(0, first - start), most));
        if (problem !== undefined) parts.push(`\n[some of the output could not be saved: ${problem}]`);
        return { text: parts.join(""), end };
      }),
    close: () => inTurn(() => handle.close()).catch(() => undefined),
  };
}

async function slice(path: string, from: number, most: number): Promise<string> {
  const file = await openRegular(path, { noFollow: true });
  try {
    return (await readHandle(path, file, most)).subarray(from).toString("utf8");
  } finally {
    await file.handle.close();
  }
}
