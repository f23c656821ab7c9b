import { existsSync, readFileSync, rmSync } from "node:fs";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "./testing.ts";

let bench: Workbench;
beforeEach(() => {
  bench = openWorkbench();
});
afterEach(() => bench.close());

const bash = (command: string, rest: object = {}) => bench.call("Bash", { command, ...rest });

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
    const text = existsSync(bench.at(name)) ? bench.text(name).trim() : "";
    if (text !== "") return Number(text);
    await delay(10);
  }
}

/** Runs it with a time limit that lets it begin: it writes its process id then. */
async function timedOut(command: string): Promise<{ text: string; isError?: boolean; pid: number }> {
  for (let timeout = 2000; ; timeout *= 2) {
    rmSync(bench.at("pid"), { force: true });
    const answer = await bash(command, { timeout });
    const written = existsSync(bench.at("pid")) ? bench.text("pid").trim() : "";
    if (written !== "") return { ...answer, pid: Number(written) };
  }
}

describe("in the foreground", () => {
  it("gives what was written to both outputs", async () => {
    const { text } = await bash("pwd; echo err >&2");
    expect(text.split("\n").sort()).toEqual([bench.cwd, "err"].sort());
    expect((await bash("echo grün; true")).text).toBe("grün");
    expect((await bash("true")).text).toBe("(no output)");
  });

  it("tells the exit code, and the signal that ended it", async () => {
    expect(await bash("echo no; exit 3")).toEqual({
      text: "no\n\nExit code 3.",
      summary: "Exit code 3.",
      isError: true,
      paths: [],
    });
    expect((await bash("kill -SEGV $$")).text).toBe("Killed by SIGSEGV.");
  });

  it("has no input and no terminal", async () => {
    expect(
      (await bash("cat; test -t 0 || echo none; (: < /dev/tty) 2>/dev/null || echo nor here")).text,
    ).toBe("none\nnor here");
  });

  it("names files of the project that instructions may speak about", async () => {
    const path = bench.file("src/a.ts", "x");
    expect((await bash("cat src/a.ts ../nothing /etc/passwd | head -1")).paths).toEqual([path]);
    expect((await bash('X="src/a.ts"; cat $X')).paths).toEqual([path]);
  });

  it("is ended with everything it started when its time is up", async () => {
    const { text, isError, pid } = await timedOut("echo begun; sleep 300 & echo $! > pid; wait");
    expect(isError).toBe(true);
    expect(text).toMatch(/^begun\n\nTimed out after \d+ s\./u);
    expect(isRunning(pid)).toBe(false);
  });

  it("is ended when it ignores being asked", async () => {
    const { text, pid } = await timedOut("trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done");
    expect(text).toContain("Timed out after");
    expect(isRunning(pid)).toBe(false);
  });

  it("is ended when the user interrupts, and gives what it wrote", async () => {
    const stop = new AbortController();
    const running = bench.call(
      "Bash",
      { command: "echo begun; echo $$ > pid; sleep 300" },
      { signal: stop.signal },
    );
    const pid = await pidIn("pid");
    stop.abort(new Error("interrupted"));
    expect(await running).toMatchObject({ isError: true, text: "begun\n\nInterrupted by the user." });
    expect(isRunning(pid)).toBe(false);
  });

  it("does not wait for what it left running, and ends that", async () => {
    const { text } = await bash("sleep 300 & echo $! > pid; echo done");
    expect(text).toMatch(/^done\n\nProcesses it left running were stopped/u);
    expect(isRunning(await pidIn("pid"))).toBe(false);
  });

  it("bounds a flood, keeping its beginning and its end", async () => {
    const { text } = await bash("echo first; yes | head -c 100000000; echo last");
    expect(text.length).toBeLessThan(31_000);
    expect(text).toMatch(/^first\ny\n[\s\S]*… \d+ characters left out …[\s\S]*\nlast$/u);
  });

  it("ends a flood that never ends", async () => {
    const { text } = await bash("yes", { timeout: 700 });
    expect(text.length).toBeLessThan(31_000);
    expect(text).toContain("Timed out after");
  });

  it("bounds a line of 50 MB", async () => {
    const { text } = await bash("head -c 52428800 /dev/zero | tr '\\0' x");
    expect(text.length).toBeLessThan(31_000);
  });

  it("what cannot be started is told", async () => {
    expect(await bash("echo \0")).toEqual({
      text: "A command cannot contain a NUL character.",
      isError: true,
    });
    expect((await bash(`: ${"x".repeat(200_000)}`)).text).toBe(
      "The command cannot be started: it is too long.",
    );
    const input = { command: "ls" };
    expect((await bench.call("Bash", input, { cwd: bench.at("none") })).text).toBe(
      `The command cannot be started: ${bench.at("none")} does not exist.`,
    );
  });

  it("a timeout past ten minutes is refused", async () => {
    expect((await bash("ls", { timeout: 700_000 })).text).toMatch(/^Invalid input for Bash: timeout: /u);
  });
});

describe("in the background", () => {
  it("starts a task, whose output TaskOutput has", async () => {
    expect(await bash("echo one; exit 2", { run_in_background: true, description: "tests" })).toEqual({
      text: "Running in the background as b1. You are notified when it ends; read its output with TaskOutput.",
      summary: "b1",
      paths: [],
    });
    expect(await bench.call("TaskOutput", { task_id: "b1" })).toEqual({
      text: "Task b1: failed, exit code 2.\n\none",
      summary: "failed, exit code 2",
    });
    expect((await bench.call("TaskOutput", { task_id: "b1" })).text).toBe(
      "Task b1: failed, exit code 2.\n\nNo new output.",
    );
    expect((await bench.call("TaskOutput", { task_id: "b7" })).text).toBe(
      "There is no task b7; available: b1 (tests).",
    );
  });

  it("does not wait where it is told not to", async () => {
    await bash("sleep 300", { run_in_background: true });
    expect((await bench.call("TaskOutput", { task_id: "b1", block: false })).text).toBe(
      "Task b1: running.\n\nNo new output.",
    );
  });
});
