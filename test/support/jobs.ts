// Jobs for the worker tests: good ones, and ones that spin or eat memory.

import { appendFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";

/** Leaves a mark, so that a test can count how often it was really started. */
export function spin({ mark, ms }: { mark: string; ms: number }): string {
  appendFileSync(mark, "x");
  const end = Date.now() + ms;
  while (Date.now() < end);
  return "done";
}

export function allocate({ mark, megabytes }: { mark: string; megabytes: number }): number {
  appendFileSync(mark, "x");
  const kept: number[][] = [];
  for (let index = 0; index < megabytes; index++) kept.push(new Array(131_072).fill(index));
  return kept.length;
}

export function double({ value }: { value: number }): number {
  return value * 2;
}

export function complain(): never {
  throw new Error("this input is not for me");
}

export function sizeOf({ things }: { things: Map<unknown, unknown> }): number {
  return things.size;
}

export function giveFunction(): unknown {
  return { at: () => 1 };
}

export function leave(): never {
  process.exit(3);
}

/** Talks to whoever started the thread, as modules made for other pools do. */
export function chat(): string {
  for (const words of ["ready", null, 5, { value: "mine" }, { error: "mine" }])
    parentPort?.postMessage(words);
  return "done";
}
