// The rehearsal's background tasks: real processes, whose ends are recorded when they come.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { SessionEvent } from "sotto";

export interface BackgroundTasks {
  start(command: string): Promise<string>;
  /** Resolves when the process has ended and that is recorded. */
  ended(id: string): Promise<void>;
  /** Asks the process to end. */
  stop(id: string): void;
  close(): Promise<void>;
}

export interface TaskOptions {
  directory: string;
  record(event: SessionEvent): Promise<void>;
}

export function createBackgroundTasks({ directory, record }: TaskOptions): BackgroundTasks {
  const running = new Map<string, ChildProcess>();
  const ends = new Map<string, Promise<void>>();

  async function watch(id: string, child: ChildProcess, started: Promise<void>): Promise<void> {
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
    });
    const [exitCode, signal] = (await once(child, "close")) as [number | null, string | null];
    running.delete(id);
    await started;
    const last = output.trim().split("\n").at(-1) ?? "";
    const ending = signal === null ? last : `ended by ${signal}`;
    await record({
      type: "task_finished",
      taskId: id,
      status: exitCode === 0 || signal === "SIGTERM" ? "completed" : "failed",
      ...(exitCode === null ? {} : { exitCode }),
      ...(ending === "" ? {} : { deltaSummary: ending }),
    });
  }

  return {
    async start(command) {
      const id = `b${ends.size + 1}`;
      const parameters = command.split(" ").slice(1);
      const child = spawn(process.execPath, parameters, {
        cwd: directory,
        stdio: ["ignore", "pipe", "ignore"],
      });
      running.set(id, child);
      const event = { type: "task_started" as const, taskId: id, taskType: "shell" as const };
      const started = record({ ...event, description: command, command });
      const end = watch(id, child, started);
      // Whoever waits for it hears of a failure; until then it must not end the program.
      end.catch(() => undefined);
      ends.set(id, end);
      await started;
      return id;
    },
    ended: (id) => ends.get(id) ?? Promise.resolve(),
    stop: (id) => void running.get(id)?.kill("SIGTERM"),
    async close() {
      const open = [...running.values()];
      for (const child of open) child.kill("SIGKILL");
      await Promise.allSettled(ends.values());
    },
  };
}
