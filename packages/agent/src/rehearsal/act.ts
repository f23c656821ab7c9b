// Performs the actions of a scenario: real files, real commands, and what only the host can do.

import { type ChildProcess, spawn } from "node:child_process";
import { appendFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { setTimeout as after } from "node:timers/promises";
import type { SessionEvent } from "sotto";
import type { TypeOf } from "./requests.ts";
import type { Action } from "./scenario.ts";
import { inside } from "./scenario.ts";

/** What the host does for a scenario. A missing part is reported as a problem when it is needed. */
export interface World {
  /** The user types a prompt while the agent works. */
  queuePrompt?(text: string): unknown;
  /** The user stops the agent. */
  interrupt?(): unknown;
  /** Something happened that no file or process shows: record it. */
  record?(event: SessionEvent): unknown;
  /** Resolves when nothing runs in the background. */
  tasksEnded?(): unknown;
  typeOf?: TypeOf;
}

export interface ActionContext {
  cwd: string;
  world: World;
  /** Aborted when the rehearsal ends. */
  signal: AbortSignal;
  /** The user's answers to the next questions. */
  answers: string[];
  problem(line: number, message: string): unknown;
}

// Long enough for any sample project on a slow machine, short enough to end a rehearsal that hangs.
const PATIENCE_MS = 60_000;

const HAS_GROUPS = process.platform !== "win32";

/** Runs actions in order. `left` resolves when the client of the request has disconnected. */
export async function act(
  actions: readonly Action[],
  context: ActionContext,
  left: Promise<unknown>,
): Promise<void> {
  for (const action of actions) {
    if (context.signal.aborted) return;
    try {
      await perform(action, context, left);
    } catch (error) {
      if (!context.signal.aborted) context.problem(action.line, (error as Error).message);
    }
  }
}

async function perform(action: Action, context: ActionContext, left: Promise<unknown>): Promise<void> {
  const { cwd, world, signal } = context;
  switch (action.does) {
    case "write":
      return writeFile(await madeRoom(cwd, action.path), action.content);
    case "append":
      return appendFile(await madeRoom(cwd, action.path), action.content);
    case "delete":
      return rm(inside(cwd, action.path), { recursive: true });
    case "rename":
      return rename(inside(cwd, action.from), await madeRoom(cwd, action.to));
    case "run":
      return run(action.command, cwd, signal);
    case "wait_ms":
      return after(action.ms, undefined, { signal });
    case "answer":
      return void context.answers.push(action.text);
    case "queue":
      return patiently(
        able(world.queuePrompt?.bind(world), "queue prompts")(action.text),
        "the prompt",
        signal,
      );
    case "event":
      return patiently(able(world.record?.bind(world), "record events")(action.event), "the event", signal);
    case "wait_for_tasks":
      return patiently(
        able(world.tasksEnded?.bind(world), "wait for tasks")(),
        "the end of the background tasks",
        signal,
      );
    case "interrupt":
      await patiently(able(world.interrupt?.bind(world), "be interrupted")(), "the interruption", signal);
      // Otherwise the answer could still reach an agent that is about to stop.
      return patiently(left, "the end of the interrupted call", signal);
  }
}

async function madeRoom(cwd: string, path: string): Promise<string> {
  const file = inside(cwd, path);
  await mkdir(dirname(file), { recursive: true });
  return file;
}

function able<Deed>(deed: Deed | undefined, what: string): Deed {
  if (deed === undefined) throw new Error(`this host cannot ${what}`);
  return deed;
}

async function patiently(work: unknown, what: string, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const limit = after(PATIENCE_MS, undefined, { signal: AbortSignal.any([signal, ended.signal]) });
  const tooLong = limit.then(() => Promise.reject(new Error(`timed out waiting for ${what}`)));
  try {
    await Promise.race([work, tooLong]);
  } finally {
    ended.abort();
    tooLong.catch(() => undefined);
  }
}

/** Runs a command in its own process group, so that nothing is left when the rehearsal ends first. */
async function run(command: string, cwd: string, signal: AbortSignal): Promise<void> {
  const child = spawn(command, { cwd, shell: true, detached: HAS_GROUPS, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-2000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  const stop = () => stopGroup(child);
  const limit = setTimeout(stop, PATIENCE_MS);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const code = await ended;
    // Wait a moment for the last output; a process left in the background may keep the pipe open.
    await Promise.race([closed, after(200)]);
    if (code !== 0) throw new Error(`\`${command}\` exited with ${code ?? "a signal"}: ${lastLine(output)}`);
  } finally {
    clearTimeout(limit);
    signal.removeEventListener("abort", stop);
  }
}

function stopGroup(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  if (HAS_GROUPS) process.kill(-child.pid, "SIGKILL");
  else child.kill("SIGKILL");
}

function lastLine(output: string): string {
  return output.trim().split("\n").at(-1) ?? "";
}
