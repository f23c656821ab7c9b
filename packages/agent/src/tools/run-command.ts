// Runs a command to its end, or to the end of its time, and gives what it wrote.

import { setTimeout as delay } from "node:timers/promises";
import { followOutput } from "../tasks/follow-output.ts";
import { type Exit, type ProcessGroup, startGroup } from "../tasks/process-group.ts";
import { createExcerpt } from "./excerpt.ts";
import type { ToolResult } from "./tool.ts";

export interface Command {
  command: string;
  cwd: string;
  timeoutMs: number;
  signal: AbortSignal;
}

type Ending = { kind: "exited"; exit: Exit; left: boolean } | { kind: "timeout" } | { kind: "aborted" };

const MOST_OUTPUT = 30_000;
// What a shell leaves behind often just needs a moment.
const LEFT_MS = 100;

export async function runCommand({ command, cwd, timeoutMs, signal }: Command): Promise<ToolResult> {
  signal.throwIfAborted();
  const group = await startGroup(command, cwd);
  const output = createExcerpt(MOST_OUTPUT);
  const following = followOutput(group, output.add);
  const ending = await endingOf(group, timeoutMs, signal);
  await following.drained();
  const words = endWords(ending, timeoutMs);
  const written = output.text().trimEnd();
  const text = [written === "" && words === "" ? "(no output)" : written, words].filter(
    (part) => part !== "",
  );
  const isError = ending.kind !== "exited" || ending.exit.exitCode !== 0;
  return {
    text: text.join("\n\n"),
    summary: isError ? words : (written.split("\n", 1)[0] ?? ""),
    ...(isError ? { isError } : {}),
  };
}

/** Nothing of it runs any more when this is known. */
async function endingOf(group: ProcessGroup, timeoutMs: number, signal: AbortSignal): Promise<Ending> {
  const over = new AbortController();
  const time = delay(timeoutMs, "timeout" as const, { signal: AbortSignal.any([over.signal, signal]) });
  const exit = await Promise.race([group.shellEnded, time.catch(() => "aborted" as const)]);
  over.abort();
  if (typeof exit === "string") {
    await group.end();
    return { kind: exit };
  }
  await Promise.race([group.ended, delay(LEFT_MS, undefined, { ref: false })]);
  const left = group.isAlive();
  if (left) await group.end();
  return { kind: "exited", exit, left };
}

function endWords(ending: Ending, timeoutMs: number): string {
  if (ending.kind === "aborted") return "Interrupted by the user.";
  if (ending.kind === "timeout")
    return `Ended after ${timeoutMs / 1000} s, its time was up. Give it a longer timeout, or run it in the background.`;
  const { exitCode, signal } = ending.exit;
  const left = ending.left
    ? "What it had left running was ended with it: use run_in_background to keep something running."
    : "";
  const how = exitCode === 0 ? "" : exitCode === undefined ? `Ended by ${signal}.` : `Exit code ${exitCode}.`;
  return [how, left].filter((part) => part !== "").join(" ");
}
