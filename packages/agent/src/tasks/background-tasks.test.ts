import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { Session, SessionEvent } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../../../../test/support/telling.ts";
import type { AgentEvent } from "../agent-events.ts";
import type { Tasks } from "../tools/tool.ts";
import { createTasks } from "./background-tasks.ts";

let cwd: string;
let session: Session;
let tasks: Tasks;
let recorded: SessionEvent[];
let heard: AgentEvent[];
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-tasks-")));
  recorded = [];
  heard = [];
  session = openSession({ cwd, home: cwd });
  tasks = open();
});
afterEach(async () => {
  await tasks.close();
  await session.close();
  rmSync(cwd, { recursive: true, force: true });
});

const open = () =>
  createTasks({
    session: {
      record(event) {
        recorded.push(event);
        return session.record(event);
      },
    },
    listen: (event) => void heard.push(event),
    directory: join(cwd, "tasks"),
  });
const start = (command: string) => tasks.startShell({ command, cwd, description: "work" });
const ended = (taskId: string) => tasks.output(taskId, { waitMs: 20_000 });

/** The dead are not counted: nobody may be there to collect them. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) [ZX]/u.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

async function pidIn(name: string): Promise<number> {
  for (;;) {
    const path = join(cwd, name);
    const text = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
    if (text !== "") return Number(text);
    await delay(10);
  }
}

/** A slow machine may take the time for a word in between. */
const beginningsAndEnds = () => recorded.filter(({ type }) => type !== "task_output");

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(20);
}

describe("a command", () => {
  it("is recorded and told from its beginning to its end", async () => {
    expect(await start("echo one; echo two")).toEqual({ taskId: "b1" });
    expect(await ended("b1")).toEqual({ status: "completed", text: "one\ntwo\n", exitCode: 0 });
    expect(beginningsAndEnds()).toEqual([
      {
        type: "task_started",
        taskId: "b1",
        taskType: "shell",
        description: "work",
        command: "echo one; echo two",
        startedAt: expect.any(String),
      },
      { type: "task_finished", taskId: "b1", status: "completed", exitCode: 0, deltaSummary: "one; two" },
    ]);
    const about = { type: "task", taskId: "b1", description: "work" };
    expect(heard).toEqual([
      { ...about, status: "running" },
      { ...about, status: "completed" },
    ]);
    expect(tasks.list()).toEqual([
      {
        taskId: "b1",
        description: "work",
        status: "completed",
        exitCode: 0,
        outputPath: expect.stringMatching(/\/b1\.log$/u),
      },
    ]);
    const { reminders } = await session.turn();
    expect(reminders.map(({ type }) => type)).toContain("task_status");
  });

  it("that fails is told with its code, one that is killed with its signal", async () => {
    await start("echo no >&2; exit 7");
    expect(await ended("b1")).toEqual({ status: "failed", text: "no\n", exitCode: 7 });
    await start("kill -KILL $$");
    expect(await ended("b2")).toEqual({ status: "failed", text: "" });
    expect(recorded.filter(({ type }) => type === "task_finished")).toEqual([
      { type: "task_finished", taskId: "b1", status: "failed", exitCode: 7, deltaSummary: "no" },
      { type: "task_finished", taskId: "b2", status: "failed", error: "killed by SIGKILL" },
    ]);
  });

  it("that cannot be started is no task", async () => {
    await expect(
      tasks.startShell({ command: "ls", cwd: join(cwd, "none"), description: "" }),
    ).rejects.toThrow("does not exist");
    expect(tasks.list()).toEqual([]);
    expect(recorded).toEqual([]);
  });

  it("that cannot be recorded is ended and is no task", async () => {
    await session.close();
    await expect(start("echo $$ > pid; exec sleep 300")).rejects.toThrow("is closed");
    expect(tasks.list()).toEqual([]);
    // It may have been ended before it began, or before it wrote into the file that it made.
    const pid = existsSync(join(cwd, "pid")) ? readFileSync(join(cwd, "pid"), "utf8") : "";
    expect(pid !== "" && isRunning(Number(pid))).toBe(false);
  });

  it("tells its news now and then, not what was read already", async () => {
    await start("echo first; while [ ! -e go ]; do sleep 0.05; done; echo second; sleep 300");
    await until(() => recorded.some(({ type }) => type === "task_output"));
    await tasks.output("b1");
    writeFileSync(join(cwd, "go"), "");
    await until(() => recorded.filter(({ type }) => type === "task_output").length === 2);
    expect(recorded.filter(({ type }) => type === "task_output")).toEqual([
      { type: "task_output", taskId: "b1", deltaSummary: "first" },
      { type: "task_output", taskId: "b1", deltaSummary: "second" },
    ]);
  });

  it("gives what is new each time, or all of it", async () => {
    await start("echo one; touch begun; while [ ! -e go ]; do sleep 0.05; done; echo two");
    await until(() => existsSync(join(cwd, "begun")));
    let text = "";
    for (; text === ""; await delay(20)) text = (await tasks.output("b1"))?.text ?? "";
    expect(text).toBe("one\n");
    writeFileSync(join(cwd, "go"), "");
    expect(await ended("b1")).toMatchObject({ status: "completed", text: "two\n" });
    expect(await tasks.output("b1")).toMatchObject({ text: "" });
    expect(await tasks.output("b1", { all: true })).toMatchObject({ text: "one\ntwo\n" });
    expect(await tasks.output("b9")).toBeUndefined();
  });

  it("is waited for only as long as asked, or until the signal", async () => {
    await start("sleep 300");
    expect(await tasks.output("b1", { waitMs: 50 })).toEqual({ status: "running", text: "" });
    const signal = AbortSignal.abort();
    expect(await tasks.output("b1", { waitMs: 600_000, signal })).toEqual({ status: "running", text: "" });
  });

  it("that floods is bounded, on disk and in what is told", async () => {
    await start("echo first; yes | head -c 30000000; echo last");
    const output = await ended("b1");
    expect(output?.status).toBe("completed");
    expect(output?.text.length).toBeLessThan(31_000);
    expect(output?.text).toMatch(/^\[\d+ bytes were dropped\]\n[\s\S]+\nlast\n$/u);
    const directory = join(cwd, "tasks");
    const sizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(4.2 * 1024 * 1024);
    expect(recorded.at(-1)).toMatchObject({ type: "task_finished", deltaSummary: "y; y; last" });
  });

  it("that floods for ever leaves the agent free, and ends with it", async () => {
    await start("yes");
    const from = performance.now();
    await delay(100);
    expect(performance.now() - from).toBeLessThan(5000);
    await tasks.close();
    expect(tasks.list()).toMatchObject([{ status: "failed" }]);
  });
});

describe("its end", () => {
  it("comes when everything it started has ended", async () => {
    await start("(sleep 0.5; echo late) & echo early");
    expect(await ended("b1")).toEqual({ status: "completed", text: "early\nlate\n", exitCode: 0 });
    await start("(while [ ! -e go ]; do sleep 0.05; done) > /dev/null 2>&1 & echo early");
    expect(await tasks.output("b2", { waitMs: 500 })).toMatchObject({ status: "running" });
    writeFileSync(join(cwd, "go"), "");
    expect(await ended("b2")).toMatchObject({ status: "completed" });
  });

  it("comes although a process that left the group holds its output open", async () => {
    await start(
      "setsid sh -c 'echo $$ > pid; exec sleep 300' & while [ ! -s pid ]; do sleep 0.05; done; echo done",
    );
    const output = await ended("b1");
    process.kill(await pidIn("pid"), "SIGKILL");
    expect(output).toEqual({ status: "completed", text: "done\n", exitCode: 0 });
  });

  it("comes for all of it with the agent, also for what ignores being asked or forked away", async () => {
    await start("trap '' TERM; echo $$ > stubborn; while :; do sleep 0.1; done");
    await start("(trap '' TERM; echo $BASHPID > forked; exec sleep 300) & disown; exit 0");
    await start("nohup sleep 300 > /dev/null 2>&1 & echo $! > nohup");
    const pids = await Promise.all(["stubborn", "forked", "nohup"].map(pidIn));
    await tasks.close();
    expect(pids.map(isRunning)).toEqual([false, false, false]);
    // Whether the two shells had ended by then is up to the machine.
    const either = expect.stringMatching(/^(?:completed|failed)$/u);
    expect(tasks.list().map(({ status }) => status)).toEqual(["failed", either, either]);
    expect(recorded.filter(({ type }) => type === "task_finished")).toHaveLength(3);
    expect(recorded).toContainEqual({
      type: "task_finished",
      taskId: "b1",
      status: "failed",
      error: "stopped when the agent ended",
    });
    await expect(start("ls")).rejects.toThrow("no new task can start");
  });
});

describe("a sub-agent", () => {
  it("is a task with its answer as output", async () => {
    const run = async () => ({ text: "found it\n" });
    expect(await tasks.start({ taskType: "agent", description: "look", run })).toEqual({ taskId: "a1" });
    expect(await ended("a1")).toEqual({ status: "completed", text: "found it\n" });
    expect(beginningsAndEnds()).toEqual([
      { type: "task_started", taskId: "a1", taskType: "agent", description: "look" },
      { type: "task_finished", taskId: "a1", status: "completed", deltaSummary: "found it" },
    ]);
  });

  it("tells how far it has come", async () => {
    const run = async (_signal: AbortSignal, tell: (message: string) => void) => {
      await Promise.resolve();
      tell("Step 1: Glob *");
      return { text: "found it" };
    };
    await tasks.start({ taskType: "agent", description: "look", run });
    await ended("a1");
    expect(recorded.map(({ type }) => type)).toEqual(["task_started", "task_progress", "task_finished"]);
    expect(recorded[1]).toEqual({ type: "task_progress", taskId: "a1", message: "Step 1: Glob *" });
  });

  it("that fails or throws is a failed task", async () => {
    const agent = { taskType: "agent" as const, description: "look" };
    await tasks.start({ ...agent, run: async () => ({ text: "no luck", isError: true }) });
    await tasks.start({ ...agent, run: () => Promise.reject(new Error("boom")) });
    expect(await ended("a1")).toEqual({ status: "failed", text: "no luck" });
    expect(await ended("a2")).toEqual({ status: "failed", text: "" });
    expect(recorded.at(-1)).toEqual({ type: "task_finished", taskId: "a2", status: "failed", error: "boom" });
  });

  it("is told to stop with the agent", async () => {
    const run = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    await tasks.start({ taskType: "agent", description: "look", run });
    await tasks.close();
    expect(recorded.at(-1)).toMatchObject({ type: "task_finished", error: "stopped when the agent ended" });
  });
});

it("ids are not used again by who comes later", async () => {
  await start("true");
  await ended("b1");
  const later = open();
  expect(await later.startShell({ command: "true", cwd, description: "" })).toEqual({ taskId: "b2" });
  await later.close();
});

it("the end of the program ends what runs, too", async () => {
  const { execFileSync } = await import("node:child_process");
  const module = new URL("../../../sotto/src/platform/process-group.ts", import.meta.url).href;
  const program = `const { shellFor, startGroup } = await import(${JSON.stringify(module)});
    const shell = shellFor("echo $$; exec sleep 300");
    const { child } = await startGroup({ ...shell, cwd: "/", leftoversMs: Infinity });
    child.stdout.once("data", (text) => { console.log(String(text)); process.exit(0); });`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  const pid = Number(output);
  await until(() => !isRunning(pid));
  expect(pid).toBeGreaterThan(0);
});
