// Whether anything of a process group still runs.

import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";

export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return process.platform !== "linux" || hasLiving(group);
}

/** Where nobody collects orphans, as in many containers, the dead of a group answer to signals for ever. */
function hasLiving(group: number): boolean {
  try {
    return readdirSync("/proc").some((name) => /^\d+$/u.test(name) && isLivingIn(name, group));
  } catch {
    return true;
  }
}

function isLivingIn(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Behind the name, which may hold anything: state, parent, group.
    const [state = "", , itsGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(itsGroup) === group && !/[ZX]/iu.test(state);
  } catch {
    return false;
  }
}
