// Runs a program to its end: the prompt goes to its standard input, its standard output is the answer.

import type { ChildProcess } from "node:child_process";
import process from "node:process";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { endsWithin, type ProcessGroup, shellFor, startGroup } from "sotto/internal";
import { createExcerpt } from "../tools/excerpt.ts";
import type { TaskAnswer } from "../tools/tool.ts";

export interface ProgramRequest {
  file: string;
  args: readonly string[];
  prompt: string;
  signal: AbortSignal;
}

const MOST_ANSWER = 100_000;
const MOST_NOTES = 4000;

export async function runProgram({ file, args, prompt, signal }: ProgramRequest): Promise<TaskAnswer> {
  signal.throwIfAborted();
  const group = await startCommand({ file, args, input: prompt }, process.cwd());
  const answer = createExcerpt(MOST_ANSWER);
  const notes = createExcerpt(MOST_NOTES);
  const { stdout, stderr } = group;
  const followed = [
    followOutput({ streams: [stdout] }, answer.add),
    followOutput({ streams: [stderr] }, notes.add),
  ];
  const end = () => void group.end();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const { exitCode, signal: killedBy } = await group.ended;
  signal.removeEventListener("abort", end);
  await Promise.all(followed.map((one) => one.drained()));
  const said = answer.text().trim();
  if (exitCode === 0) return { text: said === "" ? "It ended without output." : said };
  if (signal.aborted) return { text: said, isError: true, error: wordsOf(signal.reason) };
  if (exitCode === undefined) return { text: said, isError: true, error: `killed by ${killedBy}` };
  const text = [said, notes.text().trim()].filter((part) => part !== "").join("\n\n");
  return { text, isError: true, error: `exit code ${exitCode}` };
}

function wordsOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : "stopped";
}

// The output of a process group as text. A flood is slowed down, not dropped.

export interface Followed {
  /** Resolves when all output was taken, or after a limit. */
  drained(): Promise<void>;
}

// About 40 MB a second: more would block this process.
const BURST_BYTES = 4 * 1024 * 1024;
const PAUSE_MS = 100;
// A process outside the group may keep the pipe open.
const DRAIN_MS = 1000;

export function followOutput(
  written: Pick<RunningCommand, "stdout" | "stderr"> | { streams: readonly Readable[] },
  take: (text: string) => void | Promise<void>,
): Followed {
  const streams = "streams" in written ? written.streams : [written.stdout, written.stderr];
  const all = Promise.allSettled(streams.map((stream) => pump(stream, take)));
  return {
    async drained() {
      await endsWithin(all, DRAIN_MS);
      for (const stream of streams) stream.destroy();
      await all;
    },
  };
}

async function pump(stream: Readable, take: (text: string) => void | Promise<void>): Promise<void> {
  const decoder = new StringDecoder("utf8");
  let room = BURST_BYTES;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const text = decoder.write(chunk);
    if (text !== "") await take(text);
    room -= chunk.length;
    if (room > 0) continue;
    await delay(PAUSE_MS);
    room = BURST_BYTES;
  }
  const rest = decoder.end();
  if (rest !== "") await take(rest);
}

// A shell command, or a program that gets its input first, in its own process group.

export interface RunningCommand extends Pick<ProcessGroup, "exited" | "ended" | "isAlive"> {
  stdout: Readable;
  stderr: Readable;
  end(): Promise<void>;
}

/** Notices when this process is gone: its IPC channel closes. */
export interface Program {
  file: string;
  args: readonly string[];
  input: string;
}

const GRACE_MS = 1500;
// A program may have process groups to end first.
const PROGRAM_GRACE_MS = 4000;

/** Rejects if the command cannot be started. */
export async function startCommand(command: string | Program, cwd: string): Promise<RunningCommand> {
  const isShell = typeof command === "string";
  try {
    const { child, exited, ended, isAlive, end } = await startGroup<CommandProcess>({
      ...(isShell ? shellFor(command) : { command: command.file, args: command.args }),
      stdio: isShell ? ["ignore", "pipe", "pipe"] : ["pipe", "pipe", "pipe", "ipc"],
      cwd,
      leftoversMs: Number.POSITIVE_INFINITY,
    });
    if (!isShell) child.stdin?.end(command.input);
    const graceMs = isShell ? GRACE_MS : PROGRAM_GRACE_MS;
    return { stdout: child.stdout, stderr: child.stderr, exited, ended, isAlive, end: () => end(graceMs) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? `${cwd} does not exist` : code === "E2BIG" ? "it is too long" : message;
    throw new Error(`the command cannot be started: ${why}`, { cause: error });
  }
}

type CommandProcess = ChildProcess & { stdout: Readable; stderr: Readable };
