// Looking at processes from outside.

import { readFileSync } from "node:fs";
import process from "node:process";

/** Whether it runs: one that has ended and that nobody has collected does not. */
export function isRunning(pid: number | string): boolean {
  try {
    process.kill(Number(pid), 0);
  } catch {
    return false;
  }
  try {
    return !/\) [ZX]/u.test(readFileSync(`/proc/${Number(pid)}/stat`, "latin1"));
  } catch {
    return process.platform !== "linux";
  }
}
